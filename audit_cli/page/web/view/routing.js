/*
 * Addresses within the page: what stands behind `#` names what is shown, so that the back button,
 * bookmarks and links work.
 *
 *     #                                   the start, or the report of what is loaded
 *     #hand=12                            a hand; of the first game that has it
 *     #game=HEX&hand=12&step=5            a hand of this game, at this step
 *     #game=HEX.2&hand=12                 a hand of the second file that tells of this game
 *     #compare                            checkpoints and proofs beside a game
 *     #about                              what the page does, and what it can not prove
 */

const PAGES = ["compare", "about"];
const NUMBER = /^(0|[1-9][0-9]{0,14})$/;
const GAME = /^[0-9a-f]{1,32}(\.[1-9][0-9]{0,3})?$/;

/**
 * Read the part of an address from `#` on: {page, game, hand, step}. `page` is "report", "hand",
 * "compare" or "about"; the others are null where they are not named. What is not understood is
 * the report.
 */
export function readRoute(hash) {
  const text = hash.replace(/^#/, "");
  if (PAGES.includes(text)) return {page: text, game: null, hand: null, step: null};
  const given = new URLSearchParams(text);
  const hand = readCount(given.get("hand"));
  const game = given.get("game");
  return {
    page: hand === null ? "report" : "hand",
    game: game !== null && GAME.test(game) ? game : null,
    hand,
    step: readCount(given.get("step")),
  };
}

function readCount(text) {
  return text !== null && NUMBER.test(text) ? Number(text) : null;
}

/**
 * Give each of the games that were checked together the `address` that names it: null where it is
 * the only one. One game can be there twice, as it is where two players were told two histories;
 * `isTwice` says so.
 */
export function addressGames(games) {
  const seen = new Map();
  return games.map((one) => {
    const many = (seen.get(one.game) ?? 0) + 1;
    seen.set(one.game, many);
    const name = many === 1 ? one.game : `${one.game}.${many}`;
    const isTwice = games.filter(({game}) => game === one.game).length > 1;
    return {...one, address: games.length === 1 ? null : name, isTwice};
  });
}

/** Write the address of a hand; `game` where there are several, `step` where it is named. */
export function routeOfHand(hand, game = null, step = null) {
  const parts = [`hand=${hand}`];
  if (game !== null) parts.unshift(`game=${game}`);
  if (step !== null) parts.push(`step=${step}`);
  return `#${parts.join("&")}`;
}
