import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomNumbers } from '../random-numbers.ts';
import { writeGguf, type GgufTestTensor } from './gguf-writer.ts';

export const audioModel = 'test/hearing';

/** Width of starter-chat's embeddings, which the projector produces. */
const modelWidth = 192;
const width = 32;
const melBins = 80;
/** Half of the frames in half a minute, since the second convolution halves them. */
const positions = 1500;
/** Number of positions that become one token; half a minute has 60 tokens. */
const stackFactor = 25;
const feedForward = 16;
const projectorWidth = 16;

/**
 * Puts starter-chat with an audio projector into a home folder: a Whisper-like encoder with Ultravox's projector. Its
 * convolutions sum bands of the spectrum, its only block changes nothing, and its projector is random, so that the
 * model perceives different sounds as different noise.
 */
export async function placeAudioModel(home: string): Promise<void> {
  const folder = join(home, 'models', audioModel);
  await mkdir(folder, { recursive: true });
  await copyFile(
    'models/starter/starter-chat/starter-chat-q8_0.gguf',
    join(folder, 'hearing-q8_0.gguf'),
  );
  await writeFile(join(folder, 'mmproj-hearing-f32.gguf'), audioProjector());
}

export function audioProjector(): Buffer {
  return writeGguf({ metadata, tensors: tensors() });
}

const metadata = {
  'general.architecture': 'clip',
  'general.type': 'mmproj',
  'clip.has_audio_encoder': true,
  'clip.projector_type': 'ultravox',
  'clip.audio.embedding_length': width,
  'clip.audio.feed_forward_length': feedForward,
  'clip.audio.block_count': 1,
  'clip.audio.projection_dim': modelWidth,
  'clip.audio.attention.head_count': 1,
  'clip.audio.attention.layer_norm_epsilon': { float: 1e-5 },
  'clip.audio.num_mel_bins': melBins,
  'clip.audio.projector.stack_factor': stackFactor,
} as const;

function tensors(): GgufTestTensor[] {
  const random = randomNumbers(7);
  const noise = () => random() - 0.5;
  const linear = (name: string, inputs: number, outputs: number, hasBias = true) => [
    tensor(`${name}.weight`, [inputs, outputs]),
    ...(hasBias ? [tensor(`${name}.bias`, [outputs])] : []),
  ];
  return [
    tensor('a.position_embd.weight', [width, positions]),
    convolution('a.conv1d.1.weight', melBins, (input, output) => input % width === output),
    tensor('a.conv1d.1.bias', [1, width]),
    convolution('a.conv1d.2.weight', width, (input, output) => input === output),
    tensor('a.conv1d.2.bias', [1, width]),
    ...normalization('a.blk.0.ln1', width),
    ...linear('a.blk.0.attn_q', width, width),
    ...linear('a.blk.0.attn_k', width, width, false),
    ...linear('a.blk.0.attn_v', width, width),
    ...linear('a.blk.0.attn_out', width, width),
    ...normalization('a.blk.0.ln2', width),
    ...linear('a.blk.0.ffn_up', width, feedForward),
    ...linear('a.blk.0.ffn_down', feedForward, width),
    ...normalization('a.post_ln', width),
    tensor('mm.a.norm_pre.weight', [width * stackFactor], () => 1),
    tensor('mm.a.mlp.1.weight', [width * stackFactor, 2 * projectorWidth], noise),
    tensor('mm.a.norm_mid.weight', [projectorWidth], () => 1),
    tensor('mm.a.mlp.2.weight', [projectorWidth, modelWidth], noise),
  ];
}

/** A kernel of three frames that passes the middle frame. */
function convolution(
  name: string,
  inputs: number,
  joins: (input: number, output: number) => boolean,
): GgufTestTensor {
  const values = new Float32Array(3 * inputs * width);
  for (let output = 0; output < width; output += 1) {
    for (let input = 0; input < inputs; input += 1) {
      if (joins(input, output)) values[(output * inputs + input) * 3 + 1] = 1;
    }
  }
  return { name, shape: [3, inputs, width], type: 1, values };
}

function normalization(name: string, size: number): GgufTestTensor[] {
  return [tensor(`${name}.weight`, [size], () => 1), tensor(`${name}.bias`, [size])];
}

function tensor(
  name: string,
  shape: readonly number[],
  value: () => number = () => 0,
): GgufTestTensor {
  const length = shape.reduce((product, size) => product * size, 1);
  return { name, shape, type: 0, values: Float32Array.from({ length }, value) };
}
