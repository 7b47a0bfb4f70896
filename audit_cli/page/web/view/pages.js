/*
 * Shows what the address names: the start, the report, a hand, or what stands beside them.
 *
 * What is here works on the state that app.js keeps. A reader who comes to another part finds the
 * focus on its title, and going back to the report finds it as it was left.
 */

import {drawAbout} from "./about.js";
import {fill, make} from "./dom.js";
import {drawKeyForm} from "./given.js";
import {drawHandPage, findHand} from "./hand_page.js";
import {drawHands} from "./hands.js";
import {drawPromises} from "./promises.js";
import {drawActions, drawBesides, drawDamage, drawGames, drawVerdict} from "./report.js";
import {readRoute, routeOfHand} from "./routing.js";
import {drawBasis, drawStart} from "./start.js";
import {drawTournaments} from "./tournaments.js";
import {isAsked, sayAudited} from "./verdict.js";
import {mountHand} from "./table/mounting.js";

const NAME = "Cutcard";
const ADDRESS_MS = 400;

/** Show what the address names now, where the reader came to it by a link or the back button. */
export function arrive(app) {
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

/** Draw what the address names now. */
export function show(app) {
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
export function isBeside({page}) {
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
export function drawReport(app) {
  app.left = null;
  const {report, games, tournaments} = app.audited;
  const isKeyWanted = games.length + tournaments.length > 0 || app.wrong.key !== "";
  const keyForm = isKeyWanted && !isAsked(report, "SIGNED") &&
    drawKeyForm(app.wrong.key || app.given.key, app.wrong.why, app.acts.trust);
  const hands = drawHands(app.audited).filter((section) => section !== null);
  const promises = drawPromises(report);
  const broken = promises.querySelector(".promise-broken summary");
  const jumps = [
    ["see-broken", "See what is broken", broken],
    ["see-hands", "See the hands", hands[0]?.querySelector("h2") ?? null],
  ].filter(([, , target]) => target !== null)
    .map(([id, words, target]) => [id, words, () => bringTo(target)]);
  return make(
    "div",
    {class: "report"},
    app.problem !== "" && make("p", {class: "callout callout-broken", role: "alert"}, app.problem),
    drawVerdict(report, sayAudited(app.audited), keyForm, jumps),
    drawDamage(report),
    make(
      "div",
      {class: "columns"},
      make(
        "div",
        {class: "column"},
        promises,
        hands,
        drawBesides(report),
      ),
      make(
        "div",
        {class: "column column-side"},
        drawTournaments(tournaments),
        drawGames(games),
        drawBasis(app.given, isAsked(report, "SIGNED"), app.acts),
        drawActions(report, report.forks),
      ),
    ),
  );
}

function bringTo(target) {
  target.focus({preventScroll: true});
  target.scrollIntoView({block: "start", behavior: "instant"});
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
    make(
      "p",
      {},
      "The files that were checked do not have it. ",
      make("a", {href: "#"}, "See the report"),
    ),
  );
}

async function mountTable(app, route, {at, game, row}, table) {
  const {worker} = app;
  const asked = {game: at, hand: row.hand};
  const ask = (what, details) => worker.ask("of_hand", {...asked, what, details});
  const onStep = addressWriter((step) => {
    if (app.shown !== route) return;
    history.replaceState(null, "", routeOfHand(row.hand, game.address, step));
  });
  try {
    const handData = await worker.ask("hand", asked);
    if (app.shown !== route) return;
    app.table = mountHand(table, handData, ask, {step: route.step, onStep});
  } catch (error) {
    if (error.kind === "Stopped" || app.shown !== route) return;
    const words = `This hand can not be shown: ${error.message}`;
    fill(table, make("p", {class: "callout callout-broken"}, words));
  }
}

/** Write at once, but not more often than browsers let a page change its address. */
function addressWriter(write) {
  let last = -Infinity;
  let timer = 0;
  return (step) => {
    clearTimeout(timer);
    const wait = last + ADDRESS_MS - performance.now();
    timer = setTimeout(() => {
      last = performance.now();
      write(step);
    }, Math.max(0, wait));
  };
}

function markSection(page) {
  /** @type {NodeListOf<HTMLElement>} */
  const links = document.querySelectorAll("[data-page]");
  for (const link of links) {
    if (link.dataset.page === page) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

/** Bring the reader to the title of what is shown. */
export function focusTitle(app) {
  const title = app.place.querySelector("h1");
  (title ?? app.place).focus({preventScroll: true});
  window.scrollTo({top: 0, behavior: "instant"});
}
