import type * as z from 'zod';

/**
 * An expected value. Objects may have more fields; a RegExp matches a text; a schema checks anything else, such as a
 * number that no test can know.
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
  /** POST with a body, GET without. */
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

/** A check that a pattern cannot express; the name completes "the answer ...". */
type NamedCheck = readonly [name: string, holds: (answer: PeerAnswer) => boolean];

export interface Expected {
  /** 200 if absent. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, Pattern>>;
  readonly body?: Pattern;
  /** Paths such as `choices.0.message.tool_calls` that the body, or each event of a stream, lacks. */
  readonly absent?: readonly string[];
  readonly first?: Pattern;
  readonly last?: Pattern;
  /** Holds for each event of a stream. */
  readonly every?: Pattern;
  /** Holds for an event of a stream. */
  readonly some?: Pattern;
  /** Types of the events, each once if it repeats. */
  readonly types?: readonly string[];
  readonly checks?: readonly NamedCheck[];
}

type Earlier<Value> = Value | ((earlier: readonly PeerAnswer[]) => Value);

export interface PeerCase {
  /** Unique among all cases. */
  readonly id: string;
  /** The peer's test. */
  readonly test: string;
  /** The behavior that users of the peer rely on. */
  readonly users: string;
  /** Requests that are sent before; their answers are passed to `request` and `expect`. */
  readonly before?: readonly Earlier<PeerRequest>[];
  readonly request: Earlier<PeerRequest>;
  /** The answer of Hearth. The peer answers the same, unless `differs`. */
  readonly expect: Earlier<Expected>;
  /** Why Hearth answers otherwise than the peer. */
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
