/*
 * One hand: where it is among the others, what the audit found in it, and its table.
 *
 * The table is drawn by `mountHand(container, handData, ask, {step, onStep})`, which returns
 * {showStep(step), close()}: `handData` is what tellHand says in the worker; `ask(what, details)`
 * asks answerOfHand there about this very hand; `step` is the step to begin with, null for the
 * table's own choice; `onStep(step)` is called whenever the reader moves to another one.
 */
