import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import {
  kvCacheTypes,
  speculationModes,
  splitModes,
  tensorSplitSchema,
} from '../../kernel/field.ts';
import type { AdapterChoice } from '../../kernel/adapter-names.ts';
import type { ReasoningLevel, Sampling } from '../engine.ts';
import type { LoadOptions } from './load-options.ts';

const loadSchema = z.object({
  contextLength: z.int().positive().optional(),
  parallel: z.int().positive().optional(),
  evalBatchSize: z.int().positive().optional(),
  hasFlashAttention: z.boolean().optional(),
  offloadsKvCacheToGpu: z.boolean().optional(),
  expertCount: z.int().positive().optional(),
  gpuLayers: z.int().nonnegative().optional(),
  threads: z.int().positive().optional(),
  kvCacheType: z.enum(kvCacheTypes).optional(),
  cacheTypeK: z.enum(kvCacheTypes).optional(),
  cacheTypeV: z.enum(kvCacheTypes).optional(),
  cpuExpertLayers: z.int().nonnegative().optional(),
  splitMode: z.enum(splitModes).optional(),
  tensorSplit: tensorSplitSchema.optional(),
  mainGpu: z.string().optional(),
  speculation: z.enum(speculationModes).optional(),
  draftModel: z.string().optional(),
  chatTemplate: z.string().optional(),
  ttlSeconds: z.number().positive().optional(),
});

export const settingsRecordSchema = z.object({
  base: z.string().optional(),
  load: loadSchema.optional(),
  isPinned: z.boolean().optional(),
  systemPrompt: z.string().optional(),
  sampling: z
    .object({
      temperature: z.number().optional(),
      topP: z.number().optional(),
      topK: z.number().optional(),
      minP: z.number().optional(),
      repeatPenalty: z.number().optional(),
      presencePenalty: z.number().optional(),
      frequencyPenalty: z.number().optional(),
      repeatLastTokens: z.int().optional(),
      seed: z.int().optional(),
    })
    .optional(),
  stop: z.array(z.string()).optional(),
  maxOutputTokens: z.int().positive().optional(),
  reasoning: z.enum(['off', 'low', 'medium', 'high', 'on']).optional(),
  examples: z
    .array(z.object({ role: z.enum(['user', 'assistant']), content: z.string() }))
    .optional(),
  adapters: z.array(z.object({ name: z.string(), scale: z.number() })).optional(),
  license: z.string().optional(),
});

/** Options of a load that may be stored in settings for later loads. */
export type KeptLoadOptions = Pick<LoadOptions, keyof z.infer<typeof loadSchema>>;

interface ExampleMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** Defaults for requests. */
export interface GenerationDefaults {
  /** For conversations that have no system prompt; an empty text means none. */
  readonly systemPrompt?: string;
  readonly sampling?: Pick<
    Sampling,
    | 'temperature'
    | 'topP'
    | 'topK'
    | 'minP'
    | 'repeatPenalty'
    | 'repeatLastTokens'
    | 'presencePenalty'
    | 'frequencyPenalty'
    | 'seed'
  >;
  readonly stop?: readonly string[];
  readonly maxOutputTokens?: number;
  readonly reasoning?: ReasoningLevel;
  /** Messages at the beginning of each conversation, which show the model how to answer. */
  readonly examples?: readonly ExampleMessage[];
  /** Adapters for requests that choose none. */
  readonly adapters?: readonly AdapterChoice[];
}

/** The settings of a model or profile. A profile is another name for a model, with settings of its own. */
export interface SettingsRecord extends GenerationDefaults {
  /** Only for a profile: the model's key, perhaps with `@variant`. */
  readonly base?: string;
  readonly load?: KeptLoadOptions;
  /** Text of a license, which is shown but has no effect. */
  readonly license?: string;
  /** True if the model is loaded when the server starts, and never unloaded to make room. */
  readonly isPinned?: boolean;
}

/** The settings that apply to requests for a name. */
export interface SettingsInForce extends SettingsRecord {
  /** The profile's name, if the profile has its own instances because its load options differ. */
  readonly profile?: string;
}

/** Merges two records. Values of `over` take precedence. */
export function mergeRecords(under: SettingsRecord, over: SettingsRecord): SettingsRecord {
  return {
    ...under,
    ...over,
    ...((under.load ?? over.load) && { load: { ...under.load, ...over.load } }),
    ...((under.sampling ?? over.sampling) && {
      sampling: { ...under.sampling, ...over.sampling },
    }),
  };
}

/**
 * The settings that apply to a model under a name: a profile's record takes precedence over the model's.
 *
 * @param key Key of the model.
 * @param alias Name that a request uses, which may have no settings.
 */
export function settingsInForce(
  records: ReadonlyMap<string, SettingsRecord>,
  key: string,
  alias: string | undefined,
): SettingsInForce {
  const own = records.get(key) ?? {};
  const profile = alias === undefined ? undefined : records.get(alias);
  if (alias === undefined || profile?.base === undefined) return own;
  // Pinning a model does not pin the instances of its profiles.
  const merged = mergeRecords({ ...own, isPinned: false }, profile);
  const differs = changedOptions(own.load, merged.load).length > 0;
  return differs ? { ...merged, profile: alias } : merged;
}

/** The options that differ between two loads of a model, except for the idle time, which the engine does not know. */
export function changedOptions(
  before: KeptLoadOptions = {},
  after: KeptLoadOptions = {},
): readonly (keyof KeptLoadOptions)[] {
  const names = Object.keys({ ...before, ...after }) as (keyof KeptLoadOptions)[];
  return names.filter(
    (name) => name !== 'ttlSeconds' && !isDeepStrictEqual(before[name], after[name]),
  );
}
