import { adapterFacts, type AdapterFacts } from './adapter-facts.ts';
import { attentionCache } from '../attention-cache.ts';
import { templateCapabilities, type TemplateCapabilities } from '../capabilities.ts';
import { corruptFile } from './byte-source.ts';
import type { GgufHeader } from './header.ts';
import type { GgufMetadata } from './metadata.ts';
import type { TensorTotals } from './tensor-table.ts';
import { graphDimensions } from '../graph-dimensions.ts';
import type { ModelEntry } from '../model.ts';
import { printableText } from '../printable-text.ts';
import { tokenizerFacts } from '../tokenizer-facts.ts';
import { projectorFacts, type ProjectorFacts } from '../projector-facts.ts';

/** The data that the library keeps of a GGUF file. */
export interface GgufFacts {
  /** `part`: a later part of a split model, which has no metadata. `other`: not a model, such as an importance matrix. */
  readonly kind: 'model' | 'projector' | 'adapter' | 'part' | 'other';
  readonly fileType: number | null;
  readonly tensors: TensorTotals;
  /** null except for models. */
  readonly model: GgufModelFacts | null;
  /** null except for projectors. */
  readonly projector: ProjectorFacts | null;
  /** null except for adapters. */
  readonly adapter: AdapterFacts | null;
}

export interface GgufModelFacts extends TemplateCapabilities {
  readonly architecture: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly sizeLabel: string | null;
  readonly maxContextLength: number;
  readonly isEmbedding: boolean;
  /** True if it has a rank head, which scores a document for a query. */
  readonly isReranker: boolean;
  readonly supportsInfill: boolean;
  readonly attention: ModelEntry['attention'];
  readonly dimensions: ModelEntry['dimensions'];
  readonly tokenizer: ModelEntry['tokenizer'];
}

const encoderArchitectures = new Set([
  'bert',
  'eurobert',
  'gemma-embedding',
  'jina-bert-v2',
  'jina-bert-v3',
  'modern-bert',
  'neo-bert',
  'nomic-bert',
  'nomic-bert-moe',
  't5encoder',
]);
/** `LLAMA_POOLING_TYPE_RANK` of llama.cpp. */
const rankPooling = 4;
const projectorArchitecture = 'clip';
const architecturePattern = /^[\w.-]{1,64}$/;

/**
 * Extracts the data that the library needs from a header.
 *
 * @throws HearthError `corrupt_file` if a key is missing that every engine requires; `unsupported_format` for an
 * adapter that is not a LoRA.
 */
export function ggufFacts(header: GgufHeader, fileName: string): GgufFacts {
  const { values } = header.metadata;
  const architecture = text(values.get('general.architecture'), 64);
  const kind = fileKind(header.metadata, architecture);
  const fileType = values.get('general.file_type');
  return {
    kind,
    fileType: typeof fileType === 'number' ? fileType : null,
    tensors: header.tensors,
    model: kind === 'model' ? modelFacts(header, architecture, fileName) : null,
    projector: kind === 'projector' ? projectorFacts(header.metadata) : null,
    adapter: kind === 'adapter' ? adapterFacts(header, fileName) : null,
  };
}

function fileKind({ values }: GgufMetadata, architecture: string | null): GgufFacts['kind'] {
  const part = values.get('split.no');
  if (typeof part === 'number' && part > 0) return 'part';
  const type = values.get('general.type');
  if (architecture === projectorArchitecture || type === 'mmproj') return 'projector';
  if (type === 'adapter') return 'adapter';
  return type === undefined || type === 'model' ? 'model' : 'other';
}

function modelFacts(
  { metadata, tensors }: GgufHeader,
  architecture: string | null,
  fileName: string,
): GgufModelFacts {
  const { values } = metadata;
  if (architecture === null || !architecturePattern.test(architecture))
    throw corruptFile(fileName, 'has no usable general.architecture');
  const contextLength = values.get(`${architecture}.context_length`);
  if (
    typeof contextLength !== 'number' ||
    !Number.isSafeInteger(contextLength) ||
    contextLength < 1
  )
    throw corruptFile(fileName, `has no usable ${architecture}.context_length`);

  const isEncoder = encoderArchitectures.has(architecture);
  const pooling = values.get(`${architecture}.pooling_type`);
  const template = values.get('tokenizer.chat_template');
  const capabilities = templateCapabilities(typeof template === 'string' ? template : null);
  return {
    ...capabilities,
    isTrainedForToolUse:
      capabilities.isTrainedForToolUse || values.has('tokenizer.chat_template.tool_use'),
    architecture,
    name: text(values.get('general.name'), 200),
    description: text(values.get('general.description'), 2000),
    sizeLabel: text(values.get('general.size_label'), 32),
    maxContextLength: contextLength,
    isReranker: pooling === rankPooling || tensors.hasClassifier,
    isEmbedding: isEncoder || (typeof pooling === 'number' && pooling > 0),
    supportsInfill: hasInfillTokens(metadata),
    attention: isEncoder ? null : attentionCache(architecture, metadata),
    dimensions: graphDimensions(architecture, metadata),
    tokenizer: tokenizerFacts(metadata),
  };
}

/** Checks the tokens for the text before and after the gap, by their current and earlier keys. */
function hasInfillTokens({ values }: GgufMetadata): boolean {
  const names = [
    ['fim_pre', 'prefix'],
    ['fim_suf', 'suffix'],
    ['fim_mid', 'middle'],
  ];
  return names.every((spellings) =>
    spellings.some((name) => typeof values.get(`tokenizer.ggml.${name}_token_id`) === 'number'),
  );
}

function text(value: unknown, maxCharacters: number): string | null {
  const found = typeof value === 'string' ? printableText(value, maxCharacters) : '';
  return found === '' ? null : found;
}
