const names = new Set([
  '.gitattributes',
  '.gitignore',
  'added_tokens.json',
  'chat_template.jinja',
  'chat_template.json',
  'config.json',
  'config_sentence_transformers.json',
  'generation_config.json',
  'license',
  'license.md',
  'license.txt',
  'merges.txt',
  'modules.json',
  'notice',
  'notice.txt',
  'preprocessor_config.json',
  'processor_config.json',
  'readme.md',
  'sentence_bert_config.json',
  'sentencepiece.bpe.model',
  'special_tokens_map.json',
  'spiece.model',
  'tokenizer.json',
  'tokenizer.model',
  'tokenizer_config.json',
  'use_policy.md',
  'video_preprocessor_config.json',
  'vocab.json',
  'vocab.txt',
]);

/** Whether a file accompanies weights on hubs and is useless without them. */
export function isCompanionFile(name: string): boolean {
  const lowered = name.toLowerCase();
  return names.has(lowered) || lowered.endsWith('.safetensors.index.json');
}
