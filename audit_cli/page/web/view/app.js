/*
 * The page as a whole: what is given, what the auditor said, and which part of it is shown.
 *
 * All state is in one object, and each change ends in `show`, which draws what the address names.
 * A reader who comes to another part finds the focus on its title, and going back finds the place
 * as it was left.
 */

import {drawAbout} from "./about.js";
import {startWorker} from "./asking.js";
import {drawCompare} from "./compare.js";
import {fill, make} from "./dom.js";
import {listenForDrops, sortFile} from "./dropping.js";
import {NOTHING_GIVEN, addGiven, drawKeyForm, removeGiven, requestOf} from "./given.js";
import {drawHandPage, findHand} from "./hand_page.js";
import {drawHands} from "./hands.js";
import {drawProgress} from "./progress.js";
import {drawPromises} from "./promises.js";
import {
  drawActions, drawBesides, drawDamage, drawGames, drawVerdict,
} from "./report.js";
import {readRoute, routeOfHand} from "./routing.js";
import {drawBasis, drawStart} from "./start.js";
import {mountHand} from "./table/mounting.js";

const NAME = "Cutcard";
const PATIENCE_MS = 200;
const NO_WRONG_KEY = Object.freeze({key: "", why: ""});

/**
 * Start the page in `place`, with `embedded` ({name, data in base64, key or null}; null for nothing)
 * checked at once; `told` is the element whose text screen readers say.
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
    check(app);
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
      check(app);
    },
    remove: (thing) => {
      app.given = removeGiven(app.given, thing);
      check(app);
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
    app.audited = await worker.ask("audit", requestOf(app.given), checking.show);
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

/** Show what the address names now, where the reader came to it by a link or the back button. */
function arrive(app) {
  const route = readRoute(location.hash);
  if (app.table !== null && isShownHand(app, route)) {
    if (route.step !== null) app.table.showStep(route.step);
    return;
  }
  if (app.shown?.page === "report") {
    app.left = {scroll: window.scrollY, focus: document.activeElement};
  }
  show(app);
  focusTitle(app);
  if (route.page === "report" && app.left !== null) {
    app.left.focus?.focus({preventScroll: true});
    window.scrollTo({top: app.left.scroll, behavior: "instant"});
  }
}

function isShownHand(app, route) {
  const {shown} = app;
  return shown?.page === "hand" && route.page === "hand" && shown.hand === route.hand &&
    shown.game === route.game;
}

function show(app) {
  const route = readRoute(location.hash);
  app.table?.close();
  app.table = null;
  app.shown = route;
  if (app.audited === null) app.left = null;
  markSection(route.page === "hand" ? "report" : route.page);
  if (isBeside(route)) showBeside(app, route);
  else if (app.checking !== null) fill(app.place, app.checking.panel);
  else if (app.audited === null) showStart(app);
  else if (route.page === "hand") showHand(app, route);
  else fill(app.place, app.report);
  const title = app.place.querySelector("h1")?.textContent;
  document.title = title ? `${title} · ${NAME}` : NAME;
}

/** Whether a route is of a page that has nothing to do with what is checked. */
function isBeside({page}) {
  return page === "about" || page === "compare";
}

function showBeside(app, {page}) {
  if (page === "about") {
    fill(app.place, drawAbout());
  } else {
    app.compare.trust(app.given.key);
    fill(app.place, app.compare.page);
  }
}

function showStart(app) {
  fill(app.place, drawStart(app.given, app.wrong, app.problem, app.acts));
}

/** Draw the report once for each audit, so that a reader who comes back finds it as it was left. */
function drawReport(app) {
  app.left = null;
  const {report, games} = app.audited;
  const trusted = app.given.key !== "";
  const keyForm = !trusted && drawKeyForm(app.wrong.key, app.wrong.why, app.acts.trust);
  const hands = drawHands(app.audited).filter((section) => section !== null);
  const jump = hands.length === 0 ? null : () => hands[0].querySelector("h2").focus();
  return make(
    "div",
    {class: "report"},
    app.problem !== "" && make("p", {class: "callout callout-broken", role: "alert"}, app.problem),
    drawVerdict(report, {trusted, recorded: app.given.records.length > 0}, keyForm, jump),
    drawDamage(report),
    make(
      "div",
      {class: "columns"},
      make(
        "div",
        {class: "column"},
        drawPromises(report),
        hands,
        drawBesides(report),
      ),
      make(
        "div",
        {class: "column column-side"},
        drawGames(games),
        drawBasis(app.given, app.acts),
        drawActions(report, report.forks),
      ),
    ),
  );
}

function showHand(app, route) {
  const found = findHand(app.audited.games, route.game, route.hand);
  if (found === null) {
    fill(app.place, drawNoHand(route.hand));
    return;
  }
  const {page, table} = drawHandPage(app.audited, found);
  fill(app.place, page);
  void mountTable(app, route, found, table);
}

function drawNoHand(hand) {
  return make(
    "section",
    {class: "panel"},
    make("h1", {tabindex: "-1"}, `There is no hand ${hand}`),
    make("p", {}, "The files that were checked do not have it. ", make("a", {href: "#"}, "See the report")),
  );
}

async function mountTable(app, route, {at, game, row}, table) {
  const {worker} = app;
  const name = app.audited.games.length > 1 ? game.game : null;
  const asked = {game: at, hand: row.hand};
  const ask = (what, details) => worker.ask("of_hand", {...asked, what, details});
  const onStep = (step) => {
    history.replaceState(null, "", routeOfHand(row.hand, name, step));
  };
  try {
    const handData = await worker.ask("hand", asked);
    if (app.shown !== route) return;
    app.table = mountHand(table, handData, ask, {step: route.step, onStep});
  } catch (error) {
    if (error.kind === "Stopped" || app.shown !== route) return;
    fill(table, make("p", {class: "callout callout-broken"}, `This hand can not be shown: ${error.message}`));
  }
}

function markSection(page) {
  for (const link of document.querySelectorAll("[data-page]")) {
    if (link.dataset.page === page) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function focusTitle(app) {
  const title = app.place.querySelector("h1");
  (title ?? app.place).focus({preventScroll: true});
  window.scrollTo({top: 0, behavior: "instant"});
}

function tell(app, words) {
  app.told.textContent = words;
}

/** What is folded is printed too. */
function openForPrint() {
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const one of opened) one.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const one of opened) one.open = false;
  });
}
