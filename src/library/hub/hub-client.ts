/** The part of the hub's client that Hearth uses. Imported with the first query, since the import is slow. */
export { listFiles, listModels, modelInfo } from '@huggingface/hub';
