import type { BenchOptions } from '../options.ts';
import type { Row } from '../row.ts';
import type { StartUp } from '../start-up.ts';
import type { HearthSubject } from '../subjects/hearth-subject.ts';
import type { Subject } from '../subjects/subject.ts';

/** What a measurement works with. */
export interface Bench {
  readonly options: BenchOptions;
  readonly hearth: HearthSubject;
  readonly other: Subject;
  /** From nothing to the first token of the starter model, in ms, with new processes. */
  readonly timeStart: {
    readonly hearth: () => Promise<number>;
    readonly bare: () => Promise<number>;
  };
  /** Starts commands and a server once. */
  readonly startUp: () => Promise<StartUp>;
  /** Whether the chat model is the starter model. */
  readonly isStarter: boolean;
  readonly signal: AbortSignal;
}

export type Measurement = (bench: Bench) => Promise<readonly Row[]>;
