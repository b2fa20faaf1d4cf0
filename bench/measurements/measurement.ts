import type { BenchOptions } from '../options.ts';
import type { Row } from '../row.ts';
import type { StartUp } from '../start-up.ts';
import type { DefaultServers } from '../subjects/default-servers.ts';
import type { HearthSubject } from '../subjects/hearth-subject.ts';
import type { Subject } from '../subjects/subject.ts';

/** Context of a measurement. */
export interface Bench {
  readonly options: BenchOptions;
  readonly hearth: HearthSubject;
  readonly other: Subject;
  /** Time from starting processes to the first token of the starter model, in ms. */
  readonly timeStart: {
    readonly hearth: () => Promise<number>;
    readonly bare: () => Promise<number>;
  };
  /** Prepares servers with default settings and the same chat model. */
  readonly prepareDefaults: () => Promise<DefaultServers>;
  /** Measures the start of commands and a server, once. */
  readonly startUp: () => Promise<StartUp>;
  /** True if the chat model is the starter model. */
  readonly isStarter: boolean;
  readonly signal: AbortSignal;
}

/** Context of a measurement of streamed answers. */
export interface StreamBench extends Pick<Bench, 'options' | 'isStarter' | 'signal'> {
  readonly hearth: Pick<Subject, 'chat' | 'processes'>;
  readonly other: Pick<Subject, 'chat' | 'processes'>;
}

export type Measurement = (bench: Bench) => Promise<readonly Row[]>;
