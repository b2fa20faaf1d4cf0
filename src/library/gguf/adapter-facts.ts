import { HearthError } from '../../kernel/errors/errors.ts';
import { printableText } from '../printable-text.ts';
import { corruptFile } from './byte-source.ts';
import type { GgufHeader } from './header.ts';
import type { TensorShape } from './tensor-table.ts';

/** Sizes of a matrix that an adapter changes. They must equal the sizes of the model's matrix. */
export interface MatrixSize {
  readonly inputs: number;
  readonly outputs: number;
  readonly experts: number;
}

/** The data that the library keeps of a LoRA adapter. */
export interface AdapterFacts {
  readonly name: string | null;
  readonly architecture: string;
  /** `owner/name` of the model for which it was trained; null if the file does not name one. */
  readonly baseModel: string | null;
  /** The largest rank of its matrices. */
  readonly rank: number;
  /** By the name of the model's tensor. */
  readonly matrices: ReadonlyMap<string, MatrixSize>;
}

/** Tensor types that engines can multiply. */
const numberType = /^(?:F32|F16|BF16|I?Q\d|TQ|MXFP|NVFP)/;

/**
 * Reads the header of an adapter, with llama.cpp's own checks (`llama-adapter.cpp`).
 * @throws HearthError `corrupt_file`; `unsupported_format` for an adapter that is not a plain LoRA.
 */
export function adapterFacts(header: GgufHeader, fileName: string): AdapterFacts {
  const { values, floats, arrayLengths } = header.metadata;
  const text = (key: string): string | null => {
    const value = values.get(key);
    return (typeof value === 'string' ? printableText(value, 200) : '') || null;
  };
  const type = text('adapter.type');
  if (type !== 'lora' || arrayLengths.has('adapter.alora.invocation_tokens')) {
    const kind = type === 'lora' ? 'activated LoRA' : (type ?? 'unknown kind');
    throw new HearthError(
      'unsupported_format',
      `${fileName} is an adapter of the kind ${JSON.stringify(kind)}; only LoRA adapters can be used.`,
    );
  }
  const architecture = text('general.architecture');
  if (architecture === null) throw corruptFile(fileName, 'has no general.architecture');
  if (values.has('adapter.lora.alpha') && !floats.has('adapter.lora.alpha'))
    throw corruptFile(fileName, 'has an adapter.lora.alpha that is not a 32-bit float');
  for (const tensorType of header.tensors.bytesByType.keys())
    if (!numberType.test(tensorType)) throw corruptFile(fileName, `has ${tensorType} tensors`);

  const pairs = pairsOf(header, fileName);
  const matrices = new Map([...pairs].map(([name, pair]) => [name, sizeOf(name, pair, fileName)]));
  if (matrices.size === 0) throw corruptFile(fileName, 'changes no matrix');
  const ranks = [...pairs.values()].map(({ b }) => b[0] ?? 0);
  return {
    name: text('general.name'),
    architecture,
    baseModel: baseModelName(text),
    rank: ranks.reduce((largest, rank) => Math.max(largest, rank), 0),
    matrices,
  };
}

interface Pair {
  readonly a: TensorShape;
  readonly b: TensorShape;
}

function pairsOf({ shapes, tensorCount }: GgufHeader, fileName: string): ReadonlyMap<string, Pair> {
  if (shapes.size < tensorCount)
    throw corruptFile(fileName, 'has a tensor twice, or one whose name is too long');
  const pairs = new Map<string, Pair>();
  for (const [tensor, shape] of shapes) {
    const [, name = '', half] = /^(.+)\.lora_([ab])$/.exec(tensor) ?? [];
    if (half === undefined) {
      // Engines ignore changed norms.
      if (tensor.endsWith('_norm.weight')) continue;
      throw corruptFile(fileName, `has the tensor ${JSON.stringify(tensor)}, which no LoRA has`);
    }
    const other = shapes.get(`${name}.lora_${half === 'a' ? 'b' : 'a'}`);
    if (other === undefined)
      throw corruptFile(fileName, `has only one half of the change of ${JSON.stringify(name)}`);
    pairs.set(name, half === 'a' ? { a: shape, b: other } : { a: other, b: shape });
  }
  return pairs;
}

/** The two factors of the token embedding are stored in reverse order (`llm_build_inp_embd` of llama.cpp). */
function sizeOf(name: string, { a, b }: Pair, fileName: string): MatrixSize {
  const isEmbedding = name.endsWith('token_embd.weight');
  const rank = isEmbedding ? a[0] : a[1];
  const experts = a[2] ?? 1;
  if (rank !== b[0] || experts !== (b[2] ?? 1))
    throw corruptFile(fileName, `has halves of other ranks for ${JSON.stringify(name)}`);
  const [inputs = 0, outputs = 0] = isEmbedding ? [b[1], a[1]] : [a[0], b[1]];
  return { inputs, outputs, experts };
}

/** The last two parts of the base model's repository URL, or else its organization and name. */
function baseModelName(text: (key: string) => string | null): string | null {
  const repository = text('general.base_model.0.repo_url');
  const fromUrl = /([^/]+\/[^/]+?)\/?$/.exec(repository ?? '')?.[1];
  if (fromUrl !== undefined) return fromUrl;
  const name = text('general.base_model.0.name');
  const organization = text('general.base_model.0.organization');
  return name === null || organization === null ? name : `${organization}/${name}`;
}
