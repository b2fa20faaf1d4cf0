export const emotions = [
  'neutral',
  'happy',
  'sad',
  'angry',
  'excited',
  'calm',
  'thoughtful',
  'whisper',
  'serious',
  'energetic',
  'warm',
  'cold',
  'mysterious',
  'dramatic',
] as const;
export type Emotion = (typeof emotions)[number];

/** Options as given; those with a default are optional. */
export type SpeechScriptOptions = {
  /**
   * Plain text, text with `Speaker N:` at the start of lines, or a JSON array of {speaker, text} objects, whose speaker is a
   * number or a name.
   */
  text: string;
  /**
   * `single`: one speaker, labels are removed. `multi`: read the labels. `auto`, the default: `multi` if there are labels.
   */
  mode?: 'auto' | 'single' | 'multi' | null | undefined;
  /** Number of speakers, 1 to 4; `voices` and `emotions` apply to them in order. The default is 1. */
  speakers?: number | null | undefined;
  /** Names of voices, one per speaker; they do not change the text. */
  voices?: string[] | null | undefined;
  /** One per speaker, to choose reference audio; they do not change the text. */
  emotions?: Emotion[] | null | undefined;
  /** False keeps content that is not speech, such as emoji, tags, URLs and annotations. */
  clean?: boolean | null | undefined;
  /** `plain`: the text alone. `script`, the default: `Speaker N:` lines. `json`: an array of turns. */
  output?: 'plain' | 'script' | 'json' | null | undefined;
};

export interface SpeechTurn {
  speaker: number;
  text: string;
}

interface ScriptFields {
  /** The mode that `auto` chose. */
  mode: 'single' | 'multi';
  /** The requested speakers, and further ones that the script has. */
  speakers: { speaker: number; voice?: string | undefined; emotion?: Emotion | undefined }[];
  warnings: string[];
}

interface TextScript extends ScriptFields {
  output: 'plain' | 'script';
  /** One turn per line. */
  script: string;
}

interface JsonScript extends ScriptFields {
  output: 'json';
  script: SpeechTurn[];
}

export type SpeechScript = TextScript | JsonScript;
