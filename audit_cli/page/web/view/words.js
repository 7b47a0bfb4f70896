/*
 * What the page says in plain words: each promise of protocol 12, what it means for a player, and
 * what each verdict on it says. The auditor's own lines stand beside these, unchanged.
 */

/**
 * The verdicts of an audit, by their names in a report: class of style, the word shown, and the
 * words behind a number of promises.
 */
export const VERDICTS = new Map([
  ["holds", {style: "holds", word: "Holds", one: "holds", more: "hold"}],
  ["broken", {style: "broken", word: "Broken", one: "broken", more: "broken"}],
  ["not established", {
    style: "unsure",
    word: "Not established",
    one: "not established",
    more: "not established",
  }],
  ["not applicable", {
    style: "none",
    word: "Does not apply",
    one: "does not apply",
    more: "do not apply",
  }],
]);

/** For each promise: a title, what it means, what a verdict says, and what would tell more. */
export const PROMISE_WORDS = new Map([
  ["BOUND", {
    title: "The dealer’s secrets were fixed beforehand",
    means:
      "For each hand the dealer locks a secret away before the players add anything to the " +
      "shuffle, and gives out its commitment. After the game the secrets are published. Each one " +
      "has to open the commitment of its hand, none may be missing, and none may serve twice.",
    says: {
      "holds": "Every secret opens the commitment that was given before its hand.",
      "broken": "A secret is not the one that was committed to, is missing, or was used twice.",
      "not established": "Not all secrets are published yet, so they can not be compared.",
    },
    more: "The dealer publishes the secrets when the game has closed. Ask for the file again then.",
  }],
  ["REPLAYED", {
    title: "Every deck comes out the same again",
    means:
      "The whole shuffle follows from the dealer’s secret and the links that the players’ own " +
      "programs added. It is done again here, card by card, and must give the very deck that was " +
      "signed before the first card, and every card that was shown.",
    says: {
      "holds": "Every deck was shuffled again here, and every shown card is where it belongs.",
      "broken": "A deck or a shown card is not what the shuffle gives.",
      "not established": "A deck can not be shuffled again before its secret is published.",
    },
    more: "The dealer publishes the secrets when the game has closed. Ask for the file again then.",
  }],
  ["ORDERED", {
    title: "Each deck was signed before its first card",
    means:
      "Things happened in the order that the rules ask for, time never runs backwards, and the " +
      "dealer signed each finished deck before it dealt a card of it.",
    says: {
      "holds": "Everything came in its order, and each deck was signed before its first card.",
      "broken": "Something came out of its order, or a card before its deck was signed.",
      "not established": "The order can not be told from what is signed here.",
    },
  }],
  ["DEALT", {
    title: "Cards came off the top, one by one",
    means:
      "Cards are taken from the top of the deck in turn: to each seat, burnt, to the board. No " +
      "card is skipped or taken from elsewhere, and a card is only turned up where it was dealt.",
    says: {
      "holds": "Every card was the next one of the deck, and went where it should.",
      "broken": "A card was not the next one of the deck, or went where it should not.",
      "not established": "How the cards were dealt can not be told from what is signed here.",
    },
  }],
  ["COMPLETE", {
    title: "No hand is missing",
    means:
      "Hands are numbered, and each one is here, with its end and its secret. A hand that was " +
      "thrown away (a void) is listed, with who or what was to blame, and what its cards would " +
      "have been.",
    says: {
      "holds": "Every hand is here, from the first to the last.",
      "broken": "A hand is missing, was thrown away against the rules, or never ended.",
      "not established": "The game is not over here, or its last lines are not signed.",
    },
    more: "Ask the dealer for the file again when the game has closed.",
  }],
  ["PLAYED", {
    title: "Every bet, pot and chip is right",
    means:
      "The game is played again under its rules: who is dealt in, blinds, turns, what is " +
      "allowed, who wins which pot, odd chips, and each stack. Nobody was paid for a hand that " +
      "was not shown, and no chip appears or is lost.",
    says: {
      "holds": "Played again, everything comes out as it was: turns, bets, pots and stacks.",
      "broken": "Something was not played by the rules of this game.",
      "not established": "The game can not be played again from what is signed here.",
    },
  }],
  ["SIGNED", {
    title: "It is signed by the dealer that you trust",
    means:
      "The dealer signs its log again and again. Every line has to be under a signature of the " +
      "key that you got from a source that you trust. The key that stands in the file is never " +
      "enough: anybody can write a file, and sign it with a key of their own.",
    says: {
      "holds": "Every line is under a signature of the dealer’s key that you gave.",
      "broken": "A signature, or what it signs, does not fit.",
      "not established": "You gave no key of the dealer, or not every line is signed by it.",
    },
    more: "Paste the dealer’s key. It is on the dealer’s own site, and with your client.",
  }],
  ["CONSISTENT", {
    title: "Others were shown the same game",
    means:
      "A checkpoint is a short note in which the dealer signs how far the game has got. If " +
      "another player has one, it has to fit these very lines. If it does not, the dealer signed " +
      "two different games, and the two notes prove it.",
    says: {
      "holds": "What others were shown is of this same game.",
      "broken": "Somebody was shown other lines than these.",
      "not established": "There is no checkpoint from elsewhere to compare with.",
    },
    more: "Add another player’s checkpoint, or a .tlog-proof file of the dealer’s log.",
  }],
  ["PLAYER-MIXED", {
    title: "The players took part in the shuffle",
    means:
      "Each player’s program adds a random link to each shuffle, fixed beforehand by an anchor. " +
      "One honest link is enough: nobody, not even the dealer, could then choose the deck. The " +
      "record that your client kept shows whether your own link is in every deck.",
    says: {
      "holds": "The players’ links are in the decks, and each fits its anchor.",
      "broken": "A link is missing, is another one, or does not fit its anchor.",
      "not established": "In some deck there is no link of any player.",
    },
    more: "Add the record of your client to see that your own link was in each deck.",
  }],
  ["BEACON-MIXED", {
    title: "A public beacon took part in the shuffle",
    means:
      "Some games also mix in a public random value that nobody can foresee. This page does not " +
      "know the beacon’s network, so it leaves this one open.",
    says: {
      "holds": "Each deck has the public value that its opening asked for.",
      "broken": "A deck does not have the public value that its opening asked for.",
      "not established": "This page can not check the beacon’s signatures.",
      "not applicable": "The rules of this game name no beacon.",
    },
    more: "The program cutcard-audit checks the beacon: cutcard-audit verify FILE.",
  }],
  ["WITNESSED", {
    title: "Independent witnesses saw the dealer’s log",
    means:
      "Witnesses are others who sign that the dealer’s log only ever grew. Which of them you " +
      "trust is written in a policy, and the dealer’s log is fetched to see what they signed. " +
      "This page fetches nothing, so it leaves this one to the program.",
    says: {
      "holds": "A quorum of the witnesses saw each step of this game.",
      "broken": "What the witnesses saw does not fit this game.",
      "not established": "It can not be told here whether witnesses saw this game.",
      "not applicable": "No policy of witnesses is given here.",
    },
    more: "The program checks it: cutcard-audit verify FILE --dealer-log URL --policy POLICY.",
  }],
]);

/** Say in one sentence what `verdict` on `promise` means to a player. */
export function sayVerdict(promise, verdict) {
  return PROMISE_WORDS.get(promise)?.says[verdict] ?? "This does not apply to this game.";
}

/** What voids are called, by their reason. */
export const VOIDS = new Map([
  ["link_missing", "a player’s link did not come"],
  ["no_beacon", "the public beacon did not come"],
  ["operator", "stopped by the operator"],
  ["health", "the dealer’s own checks stopped it"],
  ["dealer_fault", "the dealer failed"],
]);

const VARIANT_WORDS = new Map([
  ["holdem", "Hold’em"],
  ["omaha", "Omaha"],
  ["omaha_hi_lo", "Omaha hi-lo"],
]);

const STRUCTURE_WORDS = new Map([
  ["no_limit", "No limit"],
  ["pot_limit", "Pot limit"],
  ["fixed_limit", "Fixed limit"],
]);

/**
 * Name a game by its rules, or by those of a hand: "No limit Hold’em, 50/100"; `group` writes a
 * number.
 */
export function sayGame(rules, group) {
  const structure = STRUCTURE_WORDS.get(rules.structure) ?? rules.structure;
  const variant = VARIANT_WORDS.get(rules.variant) ?? rules.variant;
  const cards = rules.hole_cards > 4 ? ` with ${rules.hole_cards} cards` : "";
  const blinds = `${group(rules.small_blind)}/${group(rules.big_blind)}`;
  const table = rules.tournament === undefined ? "" : `, table ${group(rules.tournament.table)}`;
  return `${structure} ${variant}${cards}, ${blinds}${table}`;
}
