/*
 * The page as a whole: what is given, what the auditor said of it, and what the reader does.
 *
 * All state is in one object, and each change ends in `show` of pages.js, which draws what the
 * address names.
 */

import {startWorker} from "./asking.js";
import {drawCompare} from "./compare.js";
import {listenForDrops, sortFile} from "./dropping.js";
import {NOTHING_GIVEN, addGiven, removeGiven, requestOf} from "./given.js";
import {arrive, drawReport, focusTitle, isBeside, show} from "./pages.js";
import {drawProgress} from "./progress.js";
import {addressGames, readRoute} from "./routing.js";

const PATIENCE_MS = 200;
/** @type {{key: string, why: string}} */
const NO_WRONG_KEY = Object.freeze({key: "", why: ""});

/**
 * Start the page in `place`, with `embedded` checked at once: {name, data in base64, key or null},
 * or null for nothing. `told` is the element whose text screen readers say.
 */
export function startApp(place, told, embedded) {
  const app = {
    place,
    told,
    given: NOTHING_GIVEN,
    worker: null,
    audited: null,
    checking: null,
    patience: 0,
    wrong: NO_WRONG_KEY,
    problem: "",
    report: null,
    compare: null,
    table: null,
    shown: null,
    left: null,
    acts: null,
  };
  app.acts = actsOf(app);
  app.compare = drawCompare((what, details) => auditorOf(app).ask(what, details));
  history.scrollRestoration = "manual";
  listenForDrops(app.acts.take);
  window.addEventListener("hashchange", () => arrive(app));
  openForPrint();
  if (embedded !== null) {
    const {name, data, key} = embedded;
    const blob = new Blob([bytesOfBase64(data)]);
    const game = {kind: "game", name, size: blob.size, blob};
    app.given = {...addGiven(app.given, [game]), key: key ?? ""};
    void check(app);
  } else {
    show(app);
  }
}

function bytesOfBase64(data) {
  const letters = atob(data);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
  return bytes;
}

function actsOf(app) {
  return {
    take: (files) => takeFiles(app, files),
    keepKey: (key) => {
      app.given = {...app.given, key};
    },
    trust: (key) => {
      app.given = {...app.given, key};
      void check(app);
    },
    remove: (thing) => {
      app.given = removeGiven(app.given, thing);
      void check(app);
    },
    restart: () => {
      app.given = NOTHING_GIVEN;
      leaveGames(app);
    },
    stop: () => {
      app.given = {...app.given, games: []};
      leaveGames(app);
    },
  };
}

function leaveGames(app) {
  stopChecking(app);
  app.audited = null;
  app.wrong = NO_WRONG_KEY;
  app.problem = "";
  go(app, "#");
}

async function takeFiles(app, files) {
  const {page} = readRoute(location.hash);
  const things = [];
  let problem = "";
  for (const file of files) {
    try {
      things.push(...(await sortFile(file)));
    } catch (error) {
      problem = error.message;
    }
  }
  const rest = page === "compare" ? app.compare.take(things) : things;
  if (page === "compare" && rest.length === 0 && problem === "") return;
  app.given = addGiven(app.given, rest);
  // A link to a hand that waits for its game is kept.
  const kept = page === "hand" && app.audited === null;
  if (location.hash !== "" && !kept) history.pushState(null, "", "#");
  void check(app, NO_WRONG_KEY, problem);
}

/**
 * Ask the auditor about all that is given, where there is a game; a check that runs is stopped.
 * `wrong` is a key that was refused before, {key, why}: all is checked without one then.
 */
async function check(app, wrong = NO_WRONG_KEY, problem = "") {
  stopChecking(app);
  app.wrong = wrong;
  app.problem = problem;
  if (app.given.games.length === 0) {
    app.audited = null;
    showAnew(app);
    return;
  }
  const worker = auditorOf(app);
  const many = app.given.games.length;
  const title = many === 1 ? "Checking the game" : `Checking ${many} files`;
  const checking = drawProgress(title, (words) => tell(app, words), app.acts.stop);
  app.checking = checking;
  // What is done in a moment is not worth a panel that comes and goes.
  app.patience = setTimeout(() => showAnew(app), PATIENCE_MS);
  try {
    const {report, games, tournaments} =
      await worker.ask("audit", requestOf(app.given), checking.show);
    app.audited = {report, games: addressGames(games), tournaments};
  } catch (error) {
    if (error.kind === "Stopped") return;
    app.audited = null;
    if (error.kind === "UsageError" && app.given.key !== "") {
      const why = [error.message, error.hint].filter((words) => words !== "").join("; ");
      const {key} = app.given;
      app.given = {...app.given, key: ""};
      await check(app, {key, why}, problem);
      return;
    }
    app.problem = `This could not be checked: ${error.message}`;
  }
  clearTimeout(app.patience);
  app.checking = null;
  app.report = app.audited === null ? null : drawReport(app);
  tell(app, "");
  showAnew(app);
  if (app.wrong.why !== "") document.getElementById("key")?.focus();
}

/** Show what has become of a check, unless the reader has gone elsewhere meanwhile. */
function showAnew(app) {
  if (isBeside(readRoute(location.hash))) return;
  show(app);
  focusTitle(app);
}

/** The auditor that keeps the games, or a new one. */
function auditorOf(app) {
  app.worker ??= startWorker();
  return app.worker;
}

function stopChecking(app) {
  clearTimeout(app.patience);
  app.worker?.stop();
  app.worker = null;
  app.checking = null;
}

function go(app, hash) {
  if (location.hash === hash || (hash === "#" && location.hash === "")) {
    show(app);
    focusTitle(app);
  } else {
    location.hash = hash;
  }
}

function tell(app, words) {
  app.told.textContent = words;
}

/** What is folded is printed too. */
function openForPrint() {
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = [.../** @type {NodeListOf<HTMLDetailsElement>} */ (
      document.querySelectorAll("details:not([open])"))];
    for (const one of opened) one.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const one of opened) one.open = false;
  });
}
