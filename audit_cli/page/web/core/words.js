/**
 * Text from a file as a message may show it: cut short, and in printable ASCII alone.
 */

const SHORT_ESCAPES = new Map([["\t", "\\t"], ["\n", "\\n"], ["\r", "\\r"], ["\\", "\\\\"]]);
const LONGEST_SHOWN = 80;

/** What is wrong with an input: a reason in lower case, what would be right, the byte or null. */
export function problem(reason, hint = "", byte = null) {
  return {reason, hint, byte};
}

/** A problem's reason with its byte. */
export function problemText({reason, byte}) {
  return byte === null ? reason : `${reason} at byte ${byte}`;
}

function escapedText(text) {
  let escaped = "";
  for (const char of text) {
    const code = char.codePointAt(0);
    if (SHORT_ESCAPES.has(char)) {
      escaped += SHORT_ESCAPES.get(char);
    } else if (code >= 0x20 && code <= 0x7e) {
      escaped += char;
    } else if (code <= 0xff) {
      escaped += `\\x${code.toString(16).padStart(2, "0")}`;
    } else if (code <= 0xffff) {
      escaped += `\\u${code.toString(16).padStart(4, "0")}`;
    } else {
      escaped += `\\U${code.toString(16).padStart(8, "0")}`;
    }
  }
  return escaped;
}

/** A text of at most `limit` characters, all but printable ASCII escaped. */
export function printable(text, limit = LONGEST_SHOWN) {
  const chars = Array.from(text.slice(0, 2 * limit + 2));
  const shown = escapedText(chars.slice(0, limit).join(""));
  return chars.length > limit ? `${shown}...` : shown;
}

/** A text between quotes, all but printable ASCII escaped. */
export function quoted(text) {
  const escaped = escapedText(text);
  if (!text.includes("'")) {
    return `'${escaped}'`;
  }
  return text.includes('"') ? `'${escaped.replaceAll("'", "\\'")}'` : `"${escaped}"`;
}
