import type { ChainEntry } from '../../library/model-aliases.ts';
import type { ModelSelection } from '../../library/model.ts';
import type { Caller } from '../../kernel/request/request-context.ts';
import type { EntryOutcome } from './policy/choose-entry.ts';
import type { Purpose } from './purpose.ts';

/** An entry of a chain. Its model may be known already. If the request has tried it, has the outcome. */
export interface ChainLink extends ChainEntry {
  readonly selection?: ModelSelection;
  readonly outcome?: EntryOutcome | undefined;
}

/** An entry that was passed over, with the reason. */
export interface TriedModel {
  readonly model: string;
  readonly reason: string;
}

/** The models that a request may use, in order. */
export interface Chain {
  /** The model name in the request. */
  readonly name: string;
  readonly entries: readonly ChainLink[];
  readonly purpose: Purpose;
  readonly caller: Partial<Pick<Caller, 'isLinked' | 'modelScope'>> | undefined;
  /** Index of the chosen entry. */
  readonly index: number;
  readonly isLastResort: boolean;
  readonly tried: readonly TriedModel[];
  /** Failure of an earlier entry. It is reported even if a later entry can't take the request. */
  readonly failure?: unknown;
}
