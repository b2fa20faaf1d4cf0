import { sampleRate } from './audio.ts';

/** Zero crossings on each side of the filter; more would make its edge steeper. */
const crossings = 12;
/** Filter values per input sample. */
const phases = 128;

/** Resamples to 16,000 Hz with a windowed sinc filter, which removes frequencies too high for this rate. */
export class Resampler {
  readonly #step: number;
  readonly #halfWidth: number;
  readonly #filter: Float32Array;
  readonly #take: (sample: number) => void;
  #input: Float32Array;
  /** Position of the first input sample that is kept. */
  #inputStart: number;
  #written = 0;

  /** @param take Receives each sample, from -1 to 1. */
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

  /** Writes the last samples, for which the filter reaches beyond the end. */
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

/** One half of a sinc in a Hann window, scaled so that all values sum to 1. */
function lowPass(scale: number, halfWidth: number): Float32Array {
  return Float32Array.from({ length: halfWidth * phases + 1 }, (_, index) => {
    const distance = index / phases;
    const angle = (Math.PI * distance) / scale;
    const sinc = angle === 0 ? 1 : Math.sin(angle) / angle;
    return (sinc * (0.5 + 0.5 * Math.cos((Math.PI * distance) / halfWidth))) / scale;
  });
}
