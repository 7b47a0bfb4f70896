/** A plain table: sit down, see cards, act, and see whether one's own randomness is in the deck. */

import { allowed, CallRefused, Dealer, type Event, type SavedFile, type Seat, type SeatView } from "../src/index.js";
import { drawn, isRed, sentence, spoken, stateOf } from "./words.js";

const FIELDS = ["address", "game", "token", "key", "stack"] as const;
const SAVED = "cutcard-table";
const SAVING_MS = 60_000;

function find<T extends HTMLElement>(id: string, kind: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new TypeError(`the page has no ${id}`);
  return found;
}

const field = (id: string): HTMLInputElement => find(id, HTMLInputElement);
const button = (id: string): HTMLButtonElement => find(id, HTMLButtonElement);
const place = (id: string): HTMLElement => find(id, HTMLElement);

const form = find("enter", HTMLFormElement);
const acts = find("acts", HTMLFieldSetElement);
const total = field("total");

let seat: Seat | undefined;
let files: { records: readonly SavedFile[]; evidence?: SavedFile | undefined } = { records: [] };

function say(id: string, text: string): void {
  const where = place(id);
  if (where.textContent !== text) where.textContent = text;
}

function told(error: unknown): string {
  if (error instanceof CallRefused) return error.refusal.message;
  return error instanceof Error ? error.message : String(error);
}

function make(tag: string, text: string, kind = ""): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

function lay(where: HTMLElement, cards: readonly string[]): void {
  where.replaceChildren(
    ...cards.map((card) => {
      const made = make("span", drawn(card), isRed(card) ? "card red" : "card");
      made.setAttribute("role", "img");
      made.setAttribute("aria-label", spoken(card));
      return made;
    }),
  );
}

// Entering.

async function enter(): Promise<void> {
  say("problem", "");
  button("download-evidence").hidden = true;
  form.querySelector("button")?.setAttribute("disabled", "");
  say("status", "Connecting");
  const game = field("game").value.trim();
  const key = field("key").value.trim();
  try {
    const dealer = await Dealer.connect({
      address: field("address").value.trim(),
      token: field("token").value.trim(),
      ...(key !== "" && { key }),
    });
    const kept = await dealer.saved(game);
    files = { records: kept ? [kept.record] : [], evidence: kept?.evidence };
    seat = await dealer.takeSeat(game, { stack: field("stack").valueAsNumber });
  } catch (error) {
    say("status", "Not connected");
    say("problem", told(error));
    offerFiles();
    form.querySelector("button")?.removeAttribute("disabled");
    return;
  }
  const values = FIELDS.map((name) => [name, field(name).value]);
  sessionStorage.setItem(SAVED, JSON.stringify(Object.fromEntries(values)));
  form.hidden = true;
  place("table").hidden = false;
  say("status", `Playing as ${seat.player}`);
  await hear(seat);
}

async function hear(playing: Seat): Promise<void> {
  try {
    for await (const event of playing) {
      show(playing, event);
      draw(playing);
    }
    if (playing.refused === undefined) say("status", "The game is over for you");
  } catch (error) {
    say("status", `Stopped: ${told(error)}`);
  }
  sessionStorage.removeItem(SAVED);
  draw(playing);
}

// Showing.

function show(playing: Seat, event: Event): void {
  const { seats } = playing.table;
  const nameOf = (number: number): string =>
    seats.find((one) => one.seat === number)?.player ?? `seat ${number}`;
  const line = sentence(event, nameOf);
  if (line !== undefined) {
    const story = place("story");
    story.firstElementChild?.append(make("li", line));
    story.scrollTop = story.scrollHeight;
  }
  say("status", event.type === "disconnected" ? "Connecting again" : `Playing as ${playing.player}`);
  if (event.type === "hand_opened") fairness("", `Hand ${event.hand}: the deck is being mixed`);
  else if (event.type === "deck_mixed") fairness(...mixed(event));
  else if (event.type === "my_turn") say("act-problem", "");
  else if (event.type === "refused") {
    say("status", "You left: this dealer broke the protocol");
    fairness("bad", `${event.reason}: ${event.detail}. Keep your record and the evidence.`);
  }
}

function mixed(event: Extract<Event, { type: "deck_mixed" }>): [string, string] {
  const hand = `Hand ${event.hand}`;
  const of = `${event.links} of ${event.players} players added randomness`;
  return event.mine
    ? ["good", `${hand}: your randomness is in this deck, committed before any card (${of})`]
    : ["", `${hand}: the deck is committed, without randomness of yours (${of})`];
}

function fairness(kind: string, text: string): void {
  place("fairness").className = kind;
  say("mixed", text);
}

function draw(playing: Seat): void {
  const { table, turn } = playing;
  place("seats").replaceChildren(
    ...table.seats.map((one) => drawSeat(one, playing.number, table.button, table.decision?.seat)),
  );
  lay(place("board"), table.board);
  lay(place("cards"), table.cards);
  say("pot", String(table.pot));
  const mine = table.seats.find((one) => one.seat === playing.number);
  say("away", mine?.state === "sitting_out" ? "Come back" : "Sit out");
  const records = playing.games.map((game) => playing.record(game));
  files = { records: records.filter((one) => one !== undefined), evidence: playing.evidence() };
  offerFiles();
  acts.disabled = turn === undefined || playing.refused !== undefined;
  say("turn", turn === undefined ? "Not your turn" : `Your turn: ${allowed(turn)}`);
  button("check").hidden = turn !== undefined && !turn.mayCheck;
  button("call").hidden = turn === undefined || turn.call === 0;
  const range = turn?.raise ?? turn?.bet;
  const sized = acts.querySelector(".sized");
  if (sized instanceof HTMLElement) sized.hidden = range === undefined;
  if (range === undefined) return;
  const word = turn?.raise === undefined ? "Bet" : "Raise";
  say("total-label", `${word} to`);
  button("raise").firstChild?.replaceWith(`${word} `);
  if (total.min !== String(range.from) || total.max !== String(range.to)) {
    total.min = String(range.from);
    total.max = String(range.to);
    total.value = String(range.from);
  }
}

function drawSeat(one: SeatView, mine: number, dealing: number, turn?: number): HTMLElement {
  const item = document.createElement("li");
  const marks = [one.seat === mine ? "mine" : "", one.seat === turn ? "turn" : ""];
  item.className = marks.filter(Boolean).join(" ");
  const name = one.seat === mine ? `${one.player} (you)` : one.player;
  item.append(make("span", name, "name"));
  const state = stateOf(one);
  const is = [
    `${one.stack} chips`,
    one.bet > 0 && `bet ${one.bet}`,
    one.seat === dealing && "button",
    one.seat === turn && "to act",
    state,
  ];
  item.append(make("span", is.filter(Boolean).join(" · "), "is"));
  if (one.cards.length > 0 && one.seat !== mine) {
    const cards = make("span", "", "cards");
    lay(cards, one.cards);
    item.append(cards);
  }
  return item;
}

function offerFiles(): void {
  button("download-evidence").hidden = files.evidence === undefined;
  button("download").disabled = files.records.length === 0;
  if (files.records.length > 0 && seat === undefined) place("table").hidden = false;
}

// Doing.

async function attempt(work: (playing: Seat) => Promise<unknown>): Promise<void> {
  if (seat === undefined) return;
  say("act-problem", "");
  try {
    await work(seat);
  } catch (error) {
    say("act-problem", told(error));
  }
  draw(seat);
}

function raise(playing: Seat): Promise<void> {
  const to = total.valueAsNumber;
  return playing.turn?.raise === undefined ? playing.betTo(to) : playing.raiseTo(to);
}

function checkOrCall(playing: Seat): Promise<void> {
  return playing.turn?.mayCheck === true ? playing.check() : playing.call();
}

function onClick(id: string, work: (playing: Seat) => Promise<unknown>): void {
  button(id).addEventListener("click", () => void attempt(work));
}

function save(file: SavedFile | undefined): void {
  if (file === undefined) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([file.text], { type: "application/jsonl" }));
  link.download = file.name;
  link.click();
  // Not at once: a browser may come to read it later.
  setTimeout(() => {
    URL.revokeObjectURL(link.href);
  }, SAVING_MS);
}

const KEYS: Readonly<Record<string, (playing: Seat) => Promise<unknown>>> = {
  f: (playing) => playing.fold(),
  c: checkOrCall,
  r: raise,
};

onClick("fold", (playing) => playing.fold());
onClick("check", (playing) => playing.check());
onClick("call", (playing) => playing.call());
onClick("raise", raise);
onClick("leave", (playing) => playing.leave());
onClick("away", (playing) => {
  const mine = playing.table.seats.find((one) => one.seat === playing.number);
  return mine?.state === "sitting_out" ? playing.comeBack() : playing.sitOut();
});
button("download").addEventListener("click", () => {
  files.records.forEach(save);
});
button("download-evidence").addEventListener("click", () => {
  save(files.evidence);
});
document.addEventListener("keydown", (event) => {
  const isTyped = event.target instanceof HTMLInputElement;
  const work = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : undefined;
  if (work === undefined || isTyped || acts.disabled) return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  event.preventDefault();
  void attempt(work);
});
total.addEventListener("keydown", (event) => {
  if (event.key === "Enter") void attempt(raise);
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  void enter();
});

// What the address names is filled in, all but the token; a page that was reloaded goes on.
for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
  if (FIELDS.some((one) => one === name && one !== "token")) field(name).value = value;
}
const saved = sessionStorage.getItem(SAVED);
if (window.top !== window) {
  // Whoever shows the page in a frame could have it clicked unseen.
  form.querySelector("button")?.setAttribute("disabled", "");
  say("problem", "This page is in a frame of another one; open it by itself.");
} else if (saved !== null) {
  const values = JSON.parse(saved) as Readonly<Record<string, string>>;
  for (const name of FIELDS) field(name).value = values[name] ?? "";
  void enter();
}
