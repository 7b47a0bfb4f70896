/*
 * The page's side of the worker: each question is answered once, or refused.
 *
 * To the worker goes {id, what, details}; from it come {id, progress: {done, total, what}} any
 * number of times, and at last {id, answer} or {id, refused: {name, message, hint}}. What there is
 * to ask stands in worker.js.
 */

const WORKER_SOURCE = "worker-source";

/**
 * A question that was not answered: `kind` is "UsageError" where what was given is wrong, "Stopped"
 * where the worker was stopped, else what went wrong.
 */
class Refusal extends Error {
  constructor(kind, message, hint = "") {
    super(message);
    this.kind = kind;
    this.hint = hint;
  }
}

/**
 * Start a worker from the page's own text. Returns {ask, stop}: `ask(what, details, onProgress)`
 * is a promise of the answer, that fails with a Refusal; `stop()` ends the worker. Where it has
 * ended, by that or by a fault, all that it was asked and is asked fails.
 */
export function startWorker() {
  const source = document.getElementById(WORKER_SOURCE).textContent;
  const address = URL.createObjectURL(new Blob([source], {type: "text/javascript"}));
  const worker = new Worker(address);
  const open = new Map();
  let last = 0;
  let ended = null;
  const end = (refusal) => {
    ended = refusal;
    for (const {fail} of open.values()) fail(refusal);
    open.clear();
  };
  worker.addEventListener("message", ({data}) => {
    const asked = open.get(data.id);
    if (asked === undefined) return;
    if (data.progress !== undefined) {
      asked.onProgress(data.progress);
      return;
    }
    open.delete(data.id);
    if (data.refused === undefined) asked.give(data.answer);
    else asked.fail(new Refusal(data.refused.name, data.refused.message, data.refused.hint));
  });
  worker.addEventListener("error", (event) => {
    end(new Refusal("Error", event.message || "this browser does not start the auditor"));
  });
  return {
    ask: (what, details = {}, onProgress = () => {}) =>
      new Promise((give, fail) => {
        if (ended !== null) throw ended;
        last += 1;
        open.set(last, {give, fail, onProgress});
        worker.postMessage({id: last, what, details});
      }),
    stop: () => {
      worker.terminate();
      URL.revokeObjectURL(address);
      end(new Refusal("Stopped", "stopped"));
    },
  };
}
