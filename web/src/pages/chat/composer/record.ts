import { texts } from '../../../texts/texts.ts';

/** Sampling rate of speech encoders. */
const sampleRate = 16_000;

/**
 * Records the microphone until `stop` is called.
 *
 * @throws DOMException if there is no microphone or the page may not use it.
 */
export async function record(): Promise<{
  readonly stop: () => void;
  /** A WAV file with one channel. */
  readonly result: Promise<File>;
}> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const recorder = new MediaRecorder(stream);
  const pieces: Blob[] = [];
  recorder.addEventListener('dataavailable', ({ data }) => pieces.push(data));
  const ended = new Promise<void>((resolve) => {
    recorder.addEventListener('stop', () => resolve(), { once: true });
  });
  recorder.start();
  const result = ended.then(async () => {
    for (const track of stream.getTracks()) track.stop();
    return new File([await toWav(new Blob(pieces))], texts.chat.recordingName, {
      type: 'audio/wav',
    });
  });
  const stop = (): void => {
    if (recorder.state !== 'inactive') recorder.stop();
  };
  return { stop, result };
}

/** Converts a recording, since model servers don't read the formats in which browsers record. */
async function toWav(recorded: Blob): Promise<ArrayBuffer> {
  const context = new OfflineAudioContext(1, 1, sampleRate);
  const decoded = await context.decodeAudioData(await recorded.arrayBuffer());
  return encodeWav(mix(decoded), sampleRate);
}

function mix(audio: AudioBuffer): Float32Array {
  const mixed = new Float32Array(audio.length);
  for (let channel = 0; channel < audio.numberOfChannels; channel += 1) {
    for (const [index, sample] of audio.getChannelData(channel).entries()) {
      mixed[index] = (mixed[index] ?? 0) + sample / audio.numberOfChannels;
    }
  }
  return mixed;
}

/**
 * Creates a WAV file with 16-bit samples in one channel (RIFF, format 1).
 *
 * @param samples Values from -1 to 1.
 */
export function encodeWav(samples: Float32Array, rate: number): ArrayBuffer {
  const headerBytes = 44;
  const dataBytes = samples.length * 2;
  const file = new ArrayBuffer(headerBytes + dataBytes);
  const view = new DataView(file);
  const text = (at: number, value: string): void => {
    for (let index = 0; index < value.length; index += 1) {
      view.setUint8(at + index, value.charCodeAt(index));
    }
  };
  text(0, 'RIFF');
  view.setUint32(4, headerBytes - 8 + dataBytes, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, 'data');
  view.setUint32(40, dataBytes, true);
  for (const [index, sample] of samples.entries()) {
    const limited = Math.max(-1, Math.min(1, sample));
    view.setInt16(headerBytes + index * 2, limited * 0x7fff, true);
  }
  return file;
}
