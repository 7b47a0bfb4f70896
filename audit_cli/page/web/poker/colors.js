/**
 * Odd chips that are raced away between hands of a tournament's table (PROTOCOL.md section 14.8).
 *
 * Every seat listed had chips below the new unit. It keeps its whole units, and has at most one
 * more: by the draw, or because it would have nothing. Who drew is for the tournament's log to
 * show; how many chips there were to draw follows from the stacks.
 */

import {addExactly, divideExactly, lessExactly} from "./exactly.js";
import {newProblem} from "./problems.js";

/**
 * The problems (problems.js) of a `colored_up`.
 * @param {{unit: number, stacks: Array<{seat: number, stack: number}>}} body
 * @param {Map<number, {stack: number}>} seats those before it
 */
export function judgeColors({unit, stacks}, seats) {
  const listed = stacks.map(({seat}) => seat);
  const rising = [...new Set(listed)].sort((one, other) => one - other);
  if (listed.join() !== rising.join()) {
    const text = "colored_up does not list seats in rising order, each once";
    return [newProblem(text, rising.join(", "), listed.join(", "))];
  }
  const problems = stacks.flatMap((raced) => judgeStack(unit, raced, seats.get(raced.seat)?.stack));
  if (problems.length > 0) return problems;
  const raced = stacks.map(({seat, stack}) => ({had: seats.get(seat).stack, has: stack}));
  return judgeChips(unit, raced);
}

function judgeStack(unit, {seat, stack}, had) {
  const told = `seat ${seat} ${stack}`;
  if (had === undefined) {
    const text = "colored_up of a seat that nobody holds";
    return [newProblem(text, "a taken seat", `seat ${seat}`)];
  }
  if (had === stack) {
    return [newProblem("colored_up of a seat whose stack does not change", null, told)];
  }
  const whole = lessExactly(had, restOf(had, unit));
  const more = addExactly(whole, unit);
  if (had !== whole && (stack === whole || stack === more)) return [];
  const text = "colored_up gives a seat another stack than its race can";
  return [newProblem(text, `${whole} or ${more}`, told)];
}

function restOf(stack, unit) {
  return divideExactly(stack, unit)[1];
}

/** How many chips were dealt out, by the stacks before and after. */
function judgeChips(unit, raced) {
  const rest = raced.reduce((sum, {had}) => addExactly(sum, restOf(had, unit)), 0);
  const [chips, over] = divideExactly(rest, unit);
  const drawn = chips + (2 * over >= unit ? 1 : 0);
  // Each of these has one chip, whether it drew one or not.
  const bare = raced.filter(({had}) => had < unit).length;
  const least = drawn + bare - Math.min(bare, drawn);
  const most = drawn + bare - Math.max(0, drawn - (raced.length - bare));
  const given = raced.filter(({had, has}) => has > had).length;
  if (given >= least && given <= most && raced.every(({has}) => has > 0)) return [];
  const span = least === most ? `${least}` : `${least} to ${most}`;
  const text = "colored_up gives more or fewer chips than the race has";
  return [newProblem(text, `${span} chips of ${unit}`, given)];
}
