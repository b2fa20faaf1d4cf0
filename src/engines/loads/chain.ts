import type { ChainEntry } from '../../library/model-aliases.ts';
import type { ModelSelection } from '../../library/model.ts';
import type { Caller } from '../../telemetry/request-context.ts';
import type { EntryOutcome } from './policy/choose-entry.ts';
import type { Purpose } from './purpose.ts';

/** An entry whose model may be known already, with the result if the request has tried it. */
export interface ChainLink extends ChainEntry {
  readonly selection?: ModelSelection;
  readonly outcome?: EntryOutcome | undefined;
}

/** An entry that was passed over, and why. */
export interface TriedModel {
  readonly model: string;
  readonly reason: string;
}

/** The models that a request may use. */
export interface Chain {
  /** The name that the request gives. */
  readonly name: string;
  readonly entries: readonly ChainLink[];
  readonly purpose: Purpose;
  readonly caller: Partial<Pick<Caller, 'isLinked' | 'modelScope'>> | undefined;
  /** The entry that the target is for. */
  readonly index: number;
  readonly isLastResort: boolean;
  readonly tried: readonly TriedModel[];
  /** Failure of an earlier entry; a later one that can't take the request does not hide it. */
  readonly failure?: unknown;
}
