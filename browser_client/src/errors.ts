/**
 * Refusals of single calls: google.rpc.Status read into one value (see the head of play.proto).
 * Where a call did not reach the dealer, the reason is the status code's name.
 */

import { Code, ConnectError } from "@connectrpc/connect";

import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "./generated/google/rpc/error_details_pb.js";

/** Why a call was refused: status code, stable reason, words for people, and their numbers. */
export interface Refusal {
  readonly code: keyof typeof Code;
  readonly reason: string;
  readonly message: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly violations: readonly { readonly field: string; readonly description: string }[];
  /** How many milliseconds to wait before the same call. */
  readonly retryAfter: number | undefined;
}

/** A call that the dealer refused, or that did not reach it. It changed nothing in the trust. */
export class CallRefused extends Error {
  override readonly name = "CallRefused";
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(`${refusal.reason}: ${refusal.message}`);
    this.refusal = refusal;
  }

  get reason(): string {
    return this.refusal.reason;
  }
}

/** Makes a refusal of the client's own, before anything is sent. */
export function refusedHere(
  reason: string,
  message: string,
  metadata: Readonly<Record<string, string>> = {},
): CallRefused {
  const code = "FailedPrecondition";
  return new CallRefused({ code, reason, message, metadata, violations: [], retryAfter: undefined });
}

/** Reads what a call threw. */
export function readError(error: unknown): CallRefused {
  if (error instanceof CallRefused) return error;
  const told = ConnectError.from(error);
  const [info] = told.findDetails(ErrorInfoSchema);
  const [retry] = told.findDetails(RetryInfoSchema);
  const delay = retry?.retryDelay;
  // What the browser throws where it has no connection: it tells no more.
  const isLost = told.code === Code.Unknown && isOfNetwork(told.cause);
  const name = Code[isLost ? Code.Unavailable : told.code] as keyof typeof Code;
  return new CallRefused({
    code: name,
    reason: info?.reason ?? upperSnake(name),
    message: isLost ? `${NOT_REACHED} (${told.rawMessage})` : told.rawMessage,
    metadata: info?.metadata ?? {},
    violations: told.findDetails(BadRequestSchema).flatMap((one) =>
      one.fieldViolations.map(({ field, description }) => ({ field, description })),
    ),
    retryAfter:
      delay === undefined
        ? undefined
        : Math.max(0, Number(delay.seconds) * 1_000 + delay.nanos / 1_000_000),
  });
}

const NOT_REACHED =
  "no answer came from the dealer's address: it is not there, its certificate is not trusted, or it does not allow this page's origin";

function isOfNetwork(cause: unknown): boolean {
  return cause instanceof TypeError || (cause instanceof Error && cause.name === "NetworkError");
}

function upperSnake(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
}
