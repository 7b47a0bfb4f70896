/*
 * Who made a deck's randomness: the dealer's secret, the players' links, a beacon, and the mix of
 * all of them, each held against what the log fixed before (PROTOCOL.md 2).
 */

import {countWords, make, named} from "../dom.js";
import {hashOf, provenStep, provenValues} from "../proof/hashes.js";

/** Draw who made the randomness of a deck as tellDeck tells it. */
export function drawRandomness(told) {
  const {links, silent, beacon} = told;
  return make(
    "section",
    {class: "journey-part"},
    make("h3", {}, "Who made the randomness"),
    make(
      "p",
      {},
      "The dealer commits to a secret first. Then each player's link comes, fixed by the anchor ",
      "that stood in the log before. Only all of them together make the deck.",
    ),
    make(
      "ol",
      {class: "proof-steps"},
      provenStep(
        told.opensCommitment,
        "The dealer's secret",
        provenValues(["Secret", hashOf(told.secret)], ["Commitment", hashOf(told.commitment)]),
      ),
      links.length > 0 && linksStep(links),
      silent.length > 0 &&
        provenStep(
          null,
          [
            "Without randomness of their own: ",
            silent.map((player, at) => [at > 0 && ", ", named(player)]),
          ],
        ),
      beacon !== null &&
        provenStep(
          null,
          "The beacon",
          provenValues(
            ["Round", String(beacon.round)],
            ["Randomness", hashOf(beacon.randomness)],
            ["Network", hashOf(beacon.chain)],
          ),
        ),
      provenStep(
        told.loggedMix === null ? null : told.loggedMix === told.mix,
        "The mix of all of them",
        provenValues(
          ["Mix", hashOf(told.mix)],
          told.loggedMix !== told.mix && logged(told.loggedMix),
        ),
      ),
      provenStep(null, "The seed of the shuffles", provenValues(["Seed", hashOf(told.seed)])),
    ),
  );
}

/** All links in one step; they are folded away where each of them fits its anchor. */
function linksStep(links) {
  const allFit = links.every(({fits}) => fits);
  const list = make(
    "ul",
    {class: "climb"},
    links.map(({seat, player, link, anchor, fits}) =>
      make(
        "li",
        {class: "climb-step"},
        make("p", {}, named(player), `, seat ${seat}${fits ? "" : ": does not fit its anchor"}`),
        provenValues(["Link", hashOf(link)], ["Anchor", anchor === null ? "none" : hashOf(anchor)]),
      )),
  );
  if (!allFit) return provenStep(false, "The players' links", list);
  const words = `Show ${countWords(links.length, "link")}`;
  return provenStep(
    true,
    "The players' links, each of which hashes to its anchor",
    make("details", {class: "proof-more"}, make("summary", {}, words), list),
  );
}

function logged(mix) {
  return ["In the log", mix === null ? "none: the hand was void before" : hashOf(mix)];
}
