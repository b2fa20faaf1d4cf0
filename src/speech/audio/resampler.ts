import { sampleRate } from './audio.ts';

/** Zero crossings of the filter on each side; more make its edge steeper. */
const crossings = 12;
/** Values of the filter for each sample of the input. */
const phases = 128;

/**
 * Changes the rate of samples to 16,000 Hz with a windowed sinc filter, which removes frequencies
 * that this rate cannot hold.
 */
export class Resampler {
  readonly #step: number;
  readonly #halfWidth: number;
  readonly #filter: Float32Array;
  readonly #take: (sample: number) => void;
  #input: Float32Array;
  /** Position of the first sample of the input that is kept. */
  #inputStart: number;
  #written = 0;

  /** @param take Gets each sample, from -1 to 1. */
  constructor(inputRate: number, take: (sample: number) => void) {
    this.#step = inputRate / sampleRate;
    const scale = Math.max(1, this.#step);
    this.#halfWidth = Math.ceil(crossings * scale);
    this.#filter = lowPass(scale, this.#halfWidth);
    this.#take = take;
    this.#input = new Float32Array(this.#halfWidth);
    this.#inputStart = -this.#halfWidth;
  }

  push(samples: Float32Array): void {
    if (this.#step === 1) {
      for (const sample of samples) this.#take(sample);
      return;
    }
    const joined = new Float32Array(this.#input.length + samples.length);
    joined.set(this.#input);
    joined.set(samples, this.#input.length);
    this.#input = joined;
    this.#writeUntil(this.#inputStart + joined.length - this.#halfWidth);
  }

  /** Writes the samples whose filter reaches beyond the end. */
  end(): void {
    if (this.#step === 1) return;
    this.push(new Float32Array(this.#halfWidth));
  }

  #writeUntil(end: number): void {
    const input = this.#input;
    const filter = this.#filter;
    const halfWidth = this.#halfWidth;
    const inputStart = this.#inputStart;
    let position = this.#written * this.#step;
    for (; position < end; position = this.#written * this.#step) {
      const first = Math.floor(position) - halfWidth + 1;
      let phase = Math.round((position - first) * phases);
      let sum = 0;
      for (let at = first; at < first + 2 * halfWidth; at += 1) {
        sum += (input[at - inputStart] ?? 0) * (filter[Math.abs(phase)] ?? 0);
        phase -= phases;
      }
      this.#take(sum);
      this.#written += 1;
    }
    const first = Math.max(this.#inputStart, Math.floor(position) - halfWidth + 1);
    this.#input = input.slice(first - this.#inputStart);
    this.#inputStart = first;
  }
}

/** One half of a sinc in a Hann window, with the sum 1 over all samples. */
function lowPass(scale: number, halfWidth: number): Float32Array {
  return Float32Array.from({ length: halfWidth * phases + 1 }, (_, index) => {
    const distance = index / phases;
    const angle = (Math.PI * distance) / scale;
    const sinc = angle === 0 ? 1 : Math.sin(angle) / angle;
    return (sinc * (0.5 + 0.5 * Math.cos((Math.PI * distance) / halfWidth))) / scale;
  });
}
