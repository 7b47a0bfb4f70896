/**
 * What is due next in a hand, and how it is said.
 *
 * A hand's `due` is {step, seat, amount, what, board}, 0 and "" where they do not apply: `amount`
 * is of chips, or of cards that are dealt or opened; `what` is the word of a post.
 */

export const BOARD_SIZE = 5;
export const RIVER_STREET = 3;
const FLOP_CARDS = 3;

/** What can be due, in words. */
const STEPS = Object.freeze({
  post: "a post",
  holeCards: "the dealing of the hole cards",
  boardCards: "the dealing of the board",
  boardOpened: "the opening of the board",
  act: "an act",
  giveBack: "the return of a bet",
  show: "the opening of a hand by rule",
  showOrMuck: "the opening or the muck of a hand by policy",
  runs: "the agreement to run it twice",
  award: "the award of a pot",
  end: "the end of the hand",
});

/** What is due, in words. */
export function tellDue({step, seat, amount, what, board}) {
  const words = [what ? what.replaceAll("_", " ") : STEPS[step]];
  if (seat) {
    words.push(`seat ${seat}`);
  }
  if (step === "post" || step === "giveBack") {
    words.push(amount);
  }
  if (board > 1) {
    words.push(`board ${board}`);
  }
  return words.join(", ");
}

/** Let this step be due. */
export function makeDue(hand, step, due = {}) {
  hand.due = {step, seat: 0, amount: 0, what: "", board: 0, ...due};
}

/** Let the next cards of the board be due to which is dealt. */
export function dealOn(hand) {
  const open = hand.boards[hand.board - 1].length;
  makeDue(hand, "boardCards", {amount: open ? 1 : FLOP_CARDS, board: hand.board});
}
