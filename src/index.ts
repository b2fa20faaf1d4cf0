export { HearthError, type ErrorCode } from './kernel/errors/errors.ts';
export type {
  SpeechScript,
  SpeechScriptOptions,
  SpeechTurn,
} from './speech/script/speech-script.ts';
export { startServer, type RunningServer, type ServeOptions } from './server/serve.ts';
export { formatSpeechScript } from './speech/script/format-speech-script.ts';
