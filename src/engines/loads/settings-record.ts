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

/** Options of a load that may be kept for later ones. */
export type KeptLoadOptions = Pick<LoadOptions, keyof z.infer<typeof loadSchema>>;

interface ExampleMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** Defaults of requests. */
export interface GenerationDefaults {
  /** For a conversation without a system prompt of its own; an empty one stands for none. */
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
  /** Messages at the beginning of each conversation, as an example of how the model answers. */
  readonly examples?: readonly ExampleMessage[];
  /** For requests that choose none. */
  readonly adapters?: readonly AdapterChoice[];
}

/** The settings of a model, or of a profile: a name with settings of its own for a model. */
export interface SettingsRecord extends GenerationDefaults {
  /** Only of a profile: the model, by its key and perhaps `@variant`. */
  readonly base?: string;
  readonly load?: KeptLoadOptions;
  /** Text of a license, which is only shown. */
  readonly license?: string;
  /** True if the model is loaded when the server starts, and never unloaded to make room. */
  readonly isPinned?: boolean;
}

/** The settings of a name. */
export interface SettingsInForce extends SettingsRecord {
  /** The profile, if it has instances of its own, because its load options differ. */
  readonly profile?: string;
}

/** One record over another, whose values remain where it has none. */
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
 * The settings in force for a model under a name: the record of a profile over the record of its model.
 *
 * @param key Key of the model.
 * @param alias Name that a request uses; it may be one without settings.
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

/** The options that differ in two loads of a model, except the idle time, which the engine does not know. */
export function changedOptions(
  before: KeptLoadOptions = {},
  after: KeptLoadOptions = {},
): readonly (keyof KeptLoadOptions)[] {
  const names = Object.keys({ ...before, ...after }) as (keyof KeptLoadOptions)[];
  return names.filter(
    (name) => name !== 'ttlSeconds' && !isDeepStrictEqual(before[name], after[name]),
  );
}
