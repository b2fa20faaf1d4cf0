export { HearthError, type ErrorCode } from './contract/errors.ts';
export type { SpeechScript, SpeechScriptOptions, SpeechTurn } from './contract/v1/speech-script.ts';
export { startServer, type RunningServer, type ServeOptions } from './serve.ts';
export { formatSpeechScript } from './speech-script/format-speech-script.ts';
