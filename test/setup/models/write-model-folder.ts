import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readGguf, type GgufContent } from './gguf-content.ts';

interface ModelFolderOptions {
  /** `transformers` is the format of Hugging Face's library, which vLLM and others read. */
  readonly format?: 'mlx' | 'transformers';
  /** Fields to replace in `config.json`. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Fields to replace in `tokenizer_config.json`. */
  readonly tokenizerConfig?: Readonly<Record<string, unknown>>;
}

/** Converts a Llama model from GGUF to a folder with unquantized weights for MLX or transformers. */
export async function writeModelFolder(
  ggufPath: string,
  folder: string,
  { format = 'mlx', config = {}, tokenizerConfig = {} }: ModelFolderOptions = {},
): Promise<void> {
  const content = await readGguf(ggufPath);
  await mkdir(folder, { recursive: true });
  const files: Readonly<Record<string, object>> = {
    'config.json': { ...modelConfig(content, format), ...config },
    'tokenizer.json': tokenizer(content),
    'tokenizer_config.json': { ...tokenizerSettings(content), ...tokenizerConfig },
  };
  for (const [name, value] of Object.entries(files)) {
    await writeFile(join(folder, name), JSON.stringify(value));
  }
  await writeFile(join(folder, 'model.safetensors'), safetensors(content, format));
}

type ModelFormat = NonNullable<ModelFolderOptions['format']>;

const layerNames: Readonly<Record<string, string>> = {
  attn_norm: 'input_layernorm',
  attn_q: 'self_attn.q_proj',
  attn_k: 'self_attn.k_proj',
  attn_v: 'self_attn.v_proj',
  attn_output: 'self_attn.o_proj',
  ffn_norm: 'post_attention_layernorm',
  ffn_gate: 'mlp.gate_proj',
  ffn_up: 'mlp.up_proj',
  ffn_down: 'mlp.down_proj',
};

/** Maps llama.cpp's tensor names to Hugging Face's names. */
function tensorName(name: string): string {
  if (name === 'token_embd.weight') return 'model.embed_tokens.weight';
  if (name === 'output_norm.weight') return 'model.norm.weight';
  const [, layer, part = ''] = /^blk\.(\d+)\.(\w+)\.weight$/.exec(name) ?? [];
  const found = layerNames[part];
  if (found === undefined) throw new Error(`${name} has no name in MLX format`);
  return `model.layers.${layer}.${found}.weight`;
}

/** https://github.com/huggingface/safetensors#format */
function safetensors({ tensors, metadata }: GgufContent, format: ModelFormat): Buffer {
  const header: Record<string, unknown> = {
    __metadata__: { format: format === 'mlx' ? 'mlx' : 'pt' },
  };
  const parts: Buffer[] = [];
  let offset = 0;
  for (const { name, shape, values } of tensors) {
    const heads = headsOf(name, metadata);
    const isPermuted = format === 'transformers' && heads !== undefined;
    const ordered = isPermuted ? withHalves(values, shape, heads) : values;
    const bytes = Buffer.from(ordered.buffer);
    const end = offset + bytes.length;
    header[tensorName(name)] = { dtype: 'F32', shape, data_offsets: [offset, end] };
    parts.push(bytes);
    offset = end;
  }
  const text = Buffer.from(JSON.stringify(header));
  const padded = Buffer.concat([text, Buffer.alloc(-text.length & 7, ' ')]);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(padded.length));
  return Buffer.concat([length, padded, ...parts]);
}

/** Number of heads of a tensor whose rows llama.cpp's converter permutes; undefined for other tensors. */
function headsOf(name: string, metadata: GgufContent['metadata']): number | undefined {
  const queries = Number(metadata.get('llama.attention.head_count'));
  if (name.endsWith('.attn_q.weight')) return queries;
  if (!name.endsWith('.attn_k.weight')) return undefined;
  return Number(metadata.get('llama.attention.head_count_kv') ?? queries);
}

/** Reorders the rows of each head for transformers, where the rotation pairs a value with the value half a head further. */
function withHalves(
  values: Float32Array,
  [rows = 0, columns = 0]: readonly number[],
  heads: number,
): Float32Array {
  const ordered = new Float32Array(values.length);
  const size = rows / heads;
  for (let row = 0; row < rows; row += 1) {
    const inHead = row % size;
    const target = row - inHead + (inHead % 2) * (size / 2) + Math.floor(inHead / 2);
    ordered.set(values.subarray(row * columns, (row + 1) * columns), target * columns);
  }
  return ordered;
}

function modelConfig({ metadata }: GgufContent, format: ModelFormat): object {
  const of = (name: string) => metadata.get(`llama.${name}`);
  return {
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    torch_dtype: 'float32',
    hidden_size: of('embedding_length'),
    num_hidden_layers: of('block_count'),
    intermediate_size: of('feed_forward_length'),
    num_attention_heads: of('attention.head_count'),
    num_key_value_heads: of('attention.head_count_kv') ?? of('attention.head_count'),
    head_dim: of('attention.key_length') ?? of('rope.dimension_count'),
    rms_norm_eps: of('attention.layer_norm_rms_epsilon'),
    rope_theta: of('rope.freq_base'),
    // llama.cpp rotates neighboring values, since its converter has permuted the rows.
    ...(format === 'mlx' ? { rope_traditional: true } : {}),
    tie_word_embeddings: true,
    max_position_embeddings: of('context_length'),
    vocab_size: tokensOf(metadata).length,
    eos_token_id: metadata.get('tokenizer.ggml.eos_token_id'),
  };
}

function tokenizerSettings({ metadata }: GgufContent): object {
  const end = tokensOf(metadata)[Number(metadata.get('tokenizer.ggml.eos_token_id'))];
  return {
    tokenizer_class: 'PreTrainedTokenizerFast',
    eos_token: end,
    pad_token: end,
    chat_template: metadata.get('tokenizer.chat_template'),
    clean_up_tokenization_spaces: false,
    model_max_length: metadata.get('llama.context_length'),
  };
}

/** Token types in GGUF files. */
const control = 3;
const userDefined = 4;

/** A byte-level BPE tokenizer in the format of Hugging Face's tokenizers. */
function tokenizer({ metadata }: GgufContent): object {
  const tokens = tokensOf(metadata);
  const types = metadata.get('tokenizer.ggml.token_type') as readonly number[];
  const merges = metadata.get('tokenizer.ggml.merges') as readonly string[];
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, use_regex: true };
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: tokens.flatMap((content, id) =>
      types[id] === control || types[id] === userDefined
        ? [addedToken(id, content, types[id])]
        : [],
    ),
    normalizer: null,
    pre_tokenizer: { ...byteLevel, trim_offsets: true },
    post_processor: null,
    decoder: { ...byteLevel, trim_offsets: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges: merges.map((merge) => merge.split(' ')),
    },
  };
}

function addedToken(id: number, content: string, type: number) {
  const exact = { single_word: false, lstrip: false, rstrip: false, normalized: false };
  return { id, content, ...exact, special: type === control };
}

function tokensOf(metadata: GgufContent['metadata']): readonly string[] {
  return metadata.get('tokenizer.ggml.tokens') as readonly string[];
}
