import { writeGguf, type GgufTestTensor } from './gguf-writer.ts';
import { placeModel } from './place-model.ts';

export const rankModel = 'test/rank';

/** Words that the model knows; all other words are the same unknown word. */
const words =
  'a the in of is what where how do sea calm at dawn harbour ships bread bake oven flour panda bear china lives capital france paris';
const start = 2;
const vocabulary = [
  '[PAD]',
  '[UNK]',
  '[CLS]',
  '[SEP]',
  ...words.split(' ').map((word) => `\u2581${word}`),
];

const contextLength = 256;
const width = 64;
const feedForward = 32;
/** Index of the counting dimension. Each token has another dimension of its own. */
const counter = width - 1;
/** Value of a token in its own dimension after its vector is normalized. */
const unit = Math.sqrt(width - 1);

/**
 * Puts a model with a rank head into a home folder: a BERT of two layers whose weights are set by hand. In the first
 * layer, each token attends equally to every token of its word and to the start, from which it reads 1 / (1 + number of
 * tokens of its word). In the second layer, the start takes the mean of these values, and the rank head negates it: the
 * more words of a document occur in the query, the higher the score.
 *
 * @returns The path of the model.
 */
export function placeRankModel(home: string): Promise<string> {
  return placeModel(home, rankModel, writeGguf({ metadata, tensors: tensors() }));
}

const metadata = {
  'general.architecture': 'bert',
  'general.type': 'model',
  'bert.context_length': contextLength,
  'bert.embedding_length': width,
  'bert.block_count': 2,
  'bert.feed_forward_length': feedForward,
  'bert.attention.head_count': 1,
  'bert.attention.layer_norm_epsilon': { float: 1e-12 },
  'bert.attention.causal': false,
  'bert.pooling_type': 4,
  'tokenizer.ggml.model': 'bert',
  'tokenizer.ggml.pre': 'default',
  'tokenizer.ggml.token_type_count': 2,
  'tokenizer.ggml.tokens': vocabulary,
  'tokenizer.ggml.padding_token_id': 0,
  'tokenizer.ggml.unknown_token_id': 1,
  'tokenizer.ggml.bos_token_id': start,
  'tokenizer.ggml.cls_token_id': start,
  'tokenizer.ggml.eos_token_id': 3,
  'tokenizer.ggml.seperator_token_id': 3,
} as const;

function tensors(): GgufTestTensor[] {
  return [
    tensor('token_embd.weight', [width, vocabulary.length], isDiagonal),
    tensor('position_embd.weight', [width, contextLength]),
    tensor('token_types.weight', [width, 2]),
    ...normalization('token_embd_norm'),
    ...block(0, {
      query: { weight: isDiagonal, bias: (row) => Number(row === counter) },
      key: (column, row) =>
        row === counter && column === start ? unit : Number(isDiagonal(column, row)),
      value: (column, row) => Number(row === counter && column === start),
    }),
    ...block(1, {
      query: {},
      key: isDiagonal,
      value: (column, row) => Number(row === counter && column === counter),
    }),
    tensor('cls.output.weight', [width, 1], (column) => (column === counter ? -10 : 0)),
    tensor('cls.output.bias', [1], () => 60),
  ];
}

/** Returns the value of a matrix at two indexes. */
type Values = (first: number, second: number) => number | boolean;

function isDiagonal(column: number, row: number): boolean {
  return column === row;
}

function block(
  index: number,
  parts: { query: { weight?: Values; bias?: Values }; key: Values; value: Values },
): GgufTestTensor[] {
  const linear = (
    name: string,
    inputs: number,
    outputs: number,
    weight?: Values,
    bias?: Values,
  ) => [
    tensor(`blk.${index}.${name}.weight`, [inputs, outputs], weight),
    tensor(`blk.${index}.${name}.bias`, [outputs], bias),
  ];
  return [
    ...linear('attn_q', width, width, parts.query.weight, parts.query.bias),
    ...linear('attn_k', width, width, parts.key),
    ...linear('attn_v', width, width, parts.value),
    ...linear('attn_output', width, width, isDiagonal),
    ...normalization(`blk.${index}.attn_output_norm`),
    ...linear('ffn_up', width, feedForward),
    ...linear('ffn_down', feedForward, width),
    ...normalization(`blk.${index}.layer_output_norm`),
  ];
}

function normalization(name: string): GgufTestTensor[] {
  return [tensor(`${name}.weight`, [width], () => 1), tensor(`${name}.bias`, [width])];
}

function tensor(
  name: string,
  shape: readonly [number, number?],
  value: Values = () => 0,
): GgufTestTensor {
  const [columns, rows = 1] = shape;
  const values = Float32Array.from({ length: columns * rows }, (_, index) =>
    Number(value(index % columns, Math.floor(index / columns))),
  );
  return {
    name,
    shape: rows === 1 && shape.length === 1 ? [columns] : [columns, rows],
    type: 0,
    values,
  };
}
