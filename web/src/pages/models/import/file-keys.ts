/**
 * Name in the library that a GGUF file suggests: without its extension, its part number, its quantization and the
 * prefix of projectors, so that the parts and the projector of a model get the same.
 */
export function repositoryOf(fileName: string): string {
  const name = fileName
    .replace(/\.gguf$/i, '')
    .replace(/-\d{5}-of-\d{5}$/, '')
    .replace(/^mmproj[-_.]/i, '')
    .replace(/[-_.](?:i?q\d\w*|bf16|f16|f32)$/i, '')
    .replaceAll(/[^\w.-]+/g, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .toLowerCase();
  return name === '' ? 'model' : name;
}
