/**
 * How far a work of several parts is: one measure that only grows.
 */

/**
 * Gives each part its stretch of a whole. `weights` tell how long each part takes beside the
 * others; returns as many tellers `(done, total, what)`, by which `tell` is told of the whole.
 */
export function partsOf(weights, tell) {
  const whole = Math.max(1, weights.reduce((sum, weight) => sum + weight, 0));
  let before = 0;
  return weights.map((weight) => {
    const start = before;
    before += weight;
    return (done, total, what) => {
      const share = total > 0 ? Math.min(1, done / total) : 1;
      tell(start + weight * share, whole, what);
    };
  });
}
