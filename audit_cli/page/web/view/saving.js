/*
 * Gives the reader files: the report as it is, and the evidence of a fork.
 */

const LATER_MS = 60_000;

/** Save `text` as a file called `name`. */
export function saveText(name, text) {
  const address = URL.createObjectURL(new Blob([text], {type: "application/json"}));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), LATER_MS);
}

/** Write the evidence of a fork as cutcard-audit writes it. */
export function forkText(fork) {
  return `${JSON.stringify(fork, null, 1)}\n`;
}
