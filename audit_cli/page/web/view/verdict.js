/*
 * What an audit comes to, in one sentence and what follows from it.
 */

import {listed} from "./dom.js";
import {PROMISE_WORDS} from "./words.js";

const HOLDS = 0;
const BROKEN = 1;
const UNREADABLE = 3;
const OPEN = 4;
const BY_THE_PROGRAM =
  "That its draws, seats, levels, places and prizes are right is proved by the program: " +
  "cutcard-audit verify FILE, with the files of all its tables.";
const OF_A_TABLE =
  "This is a table of a tournament: that its levels and seats are the tournament’s, and all " +
  "beyond this table, is proved by the program cutcard-audit.";

/** Whether a report was asked for a promise: for SIGNED by a key, for PLAYER-MIXED by a record. */
export function isAsked(report, name) {
  return report.promises.some(({promise, asked}) => promise === name && asked);
}

/**
 * Say what an audit comes to: {style, title, text}, of {report, games, tournaments}. What is said
 * never covers a tournament as a whole.
 */
export function sayAudited({report, games, tournaments}) {
  const said = sayReport(report, games, tournaments);
  const isTable = games.some(({rules}) => rules?.tournament !== undefined);
  if (tournaments.length > 0 || !isTable) return said;
  return {...said, text: `${said.text} ${OF_A_TABLE}`};
}

function sayReport(report, games, tournaments) {
  const broken = report.promises.filter(({verdict}) => verdict === "broken");
  if (games.length === 0 && tournaments.length > 0 && report.exit_status === OPEN) {
    return {
      style: "unsure",
      title: "This is the log of a tournament",
      text:
        "It tells who sat where, moved, and came in which place. Add the files of its tables, " +
        `and each table is checked here. ${BY_THE_PROGRAM}`,
    };
  }
  if (report.games.length === 0) {
    return {
      style: "broken",
      title: "There is no game here",
      text: "Nothing could be checked. Is it the file that your client or the dealer gave you?",
    };
  }
  if (report.exit_status === UNREADABLE) {
    return {
      style: "broken",
      title: "Not everything here can be read",
      text: broken.length === 0
        ? "A line is not as it has to be, as is told below. What could be read was checked."
        : "A line is not as it has to be; and in what could be read a promise is broken.",
    };
  }
  if (report.exit_status === BROKEN) {
    return {
      style: "broken",
      title: broken.length === 1 ? "A promise is broken" : `${broken.length} promises are broken`,
      text: `This does not hold here: ${titlesOf(broken)}. Below you see where, and why.`,
    };
  }
  if (report.exit_status !== HOLDS) {
    const open = report.promises.filter(({verdict, asked}) => asked && verdict !== "holds");
    if (tournaments.length > 0) return sayTournament(open);
    return {
      style: "unsure",
      title: "Nothing is broken, but not all is proved",
      text: `Still open: ${titlesOf(open)}.`,
    };
  }
  return sayHolding(report);
}

/** Nothing is broken in what was checked of a tournament: its tables, and its log's signatures. */
function sayTournament(open) {
  const checked = "Each table was checked, and the signatures of the tournament’s log.";
  const rest = open.length === 0 ? "" : ` Still open of that: ${titlesOf(open)}.`;
  return {
    style: "unsure",
    title: "Nothing is broken at these tables; the tournament is not judged here",
    text: `${checked}${rest} ${BY_THE_PROGRAM}`,
  };
}

function sayHolding(report) {
  const mixed = report.promises.some(({promise, verdict}) => {
    return promise === "PLAYER-MIXED" && verdict === "holds";
  });
  if (!isAsked(report, "SIGNED")) {
    return {
      style: "unsure",
      title: "All fits, but whose game is it?",
      text:
        "Every deck, bet and chip follows from what is signed in this file. Now give the " +
        "dealer’s key, to know that the dealer signed it.",
    };
  }
  if (!mixed) {
    return {
      style: "unsure",
      title: "All fits, but no player mixed in",
      text:
        "Everything follows from what was fixed before the first card. But in some deck there is " +
        "no link of any player, so that the dealer alone could choose what it fixed.",
    };
  }
  if (!isAsked(report, "PLAYER-MIXED")) {
    return {
      style: "holds",
      title: "Everything holds",
      text:
        "Every deck, card, bet and chip follows from what was fixed before the first card, " +
        "signed with the key that you trust. If you played, add your client’s record, to see " +
        "that your own link was in each deck.",
    };
  }
  return {
    style: "holds",
    title: "This game was dealt fairly",
    text:
      "Every deck, card, bet and chip follows from what was fixed before the first card, signed " +
      "with the key that you trust, and your own link is in each deck that you were dealt.",
  };
}

function titlesOf(promises) {
  return listed(promises.map(({promise}) => `“${PROMISE_WORDS.get(promise).title}”`));
}
