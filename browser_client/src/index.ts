/** Plays at a Cutcard table from a browser: gives the player's own randomness, checks every deal. */

export { allowed } from "./acting.js";
export { QUICKNET, type Network } from "./beacon.js";
export type { TokenSource } from "./bearer.js";
export { Dealer, type DealerOptions, type SeatOptions } from "./dealer.js";
export { CallRefused, type Refusal } from "./errors.js";
export type { ChangeKind, DeckMixed, Event, PotWinner } from "./events.js";
export { IndexedDbKeeping } from "./indexed_db.js";
export { KeepingError, MemoryKeeping, type Drawer, type Keeping, type Kept, type Line } from "./keeping.js";
export type { RuleSet } from "./lines.js";
export type { Decision, Preset, Range } from "./message.js";
export { NoteError, NoteKey } from "./note.js";
export { ProtocolBreach, type Evidence, type Reason, type Refused } from "./refusing.js";
export type { MakeTransport } from "./routes.js";
export { Seat, Spectator, type SavedFile } from "./seat.js";
export type { Act, Choice, PreAct } from "./sent.js";
export { PATIENCE, type Patience, type Surroundings } from "./surroundings.js";
export { isLive, type Pot, type SeatView, type Street, type TableView } from "./view.js";
