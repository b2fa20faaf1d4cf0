import type * as z from 'zod';

/**
 * An expected value. Objects may have more fields; a RegExp matches a text; a schema checks other values, such as
 * unpredictable numbers.
 */
export type Pattern =
  | string
  | number
  | boolean
  | null
  | RegExp
  | z.ZodType
  | readonly Pattern[]
  | { readonly [field: string]: Pattern };

export interface PeerRequest {
  readonly path: string;
  /** Defaults to POST with a body, otherwise GET. */
  readonly method?: 'GET' | 'POST' | 'DELETE' | 'HEAD' | 'OPTIONS';
  /** A text is sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A response of Hearth. `events` are the parsed events or lines of a stream, or empty. */
export interface PeerAnswer {
  readonly status: number;
  readonly headers: Headers;
  // The cases check the contents of a response.
  readonly body: any; // oxlint-disable-line typescript/no-explicit-any
  readonly events: readonly any[]; // oxlint-disable-line typescript/no-explicit-any
}

/** A check that a pattern can't express. Its name follows the words "the answer". */
type NamedCheck = readonly [name: string, holds: (answer: PeerAnswer) => boolean];

export interface Expected {
  /** Expected status; 200 by default. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, Pattern>>;
  readonly body?: Pattern;
  /** Paths such as `choices.0.message.tool_calls` that must be absent in the body, or in each event of a stream. */
  readonly absent?: readonly string[];
  readonly first?: Pattern;
  readonly last?: Pattern;
  /** Pattern that each event of a stream must match. */
  readonly every?: Pattern;
  /** Pattern that at least one event of a stream must match. */
  readonly some?: Pattern;
  /** Types of the events in order; repetitions count once. */
  readonly types?: readonly string[];
  readonly checks?: readonly NamedCheck[];
}

type Earlier<Value> = Value | ((earlier: readonly PeerAnswer[]) => Value);

export interface PeerCase {
  /** Unique among all cases. */
  readonly id: string;
  /** Name of the test in the peer's repository. */
  readonly test: string;
  /** The behavior that users of the peer rely on. */
  readonly users: string;
  /** Requests to send first; their answers are passed to `request` and `expect`. */
  readonly before?: readonly Earlier<PeerRequest>[];
  readonly request: Earlier<PeerRequest>;
  /** Hearth's answer. The peer's answer is the same, unless `differs` is set. */
  readonly expect: Earlier<Expected>;
  /** The reason why Hearth answers differently than the peer. */
  readonly differs?: string;
}

/** The cases from one test file of a peer. */
export interface PeerSuite {
  readonly peer: string;
  /** `owner/name` on GitHub. */
  readonly repository: string;
  readonly commit: string;
  readonly path: string;
  readonly cases: readonly PeerCase[];
}

/** Address of the peer's test file. */
export function linkTo({ repository, commit, path }: PeerSuite): string {
  return `https://github.com/${repository}/blob/${commit}/${path}`;
}
