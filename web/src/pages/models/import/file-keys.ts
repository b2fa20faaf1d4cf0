/**
 * Derives a name in the library from the name of a GGUF file. Removes the extension, part number, quantization and the
 * prefix of projectors, so that all files of a model get the same name.
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
