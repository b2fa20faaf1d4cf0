import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Licenses that allow redistribution with their text. */
const allowedLicenses = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
]);

/**
 * The folders of the packages in the bundles, sorted.
 *
 * @param metafiles Metafiles of esbuild.
 */
export function bundledPackages(...metafiles) {
  const paths = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap(({ inputs }) => Object.entries(inputs))
    .flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : []));
  const folders = paths.flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path.replaceAll('\\', '/'))?.[0] ?? [],
  );
  return [...new Set(folders)].toSorted();
}

/**
 * The licenses and notices of packages, as one text.
 *
 * @throws Error if a license does not allow redistribution, or its text is missing.
 */
export async function licenseTexts(folders) {
  const texts = await Promise.all(folders.map(licenseText));
  return `${texts.join('\n\n')}\n`;
}

async function licenseText(folder) {
  const { name, version, license } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  );
  if (!allowedLicenses.has(license)) {
    throw new Error(`${name} is bundled, and its license ${license} is not one that is allowed.`);
  }
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice)/i.test(file));
  if (!files.some((file) => /^licen/i.test(file))) {
    throw new Error(`${name} is bundled, and the text of its license is missing.`);
  }
  const parts = await Promise.all(
    files.toSorted().map((file) => readFile(join(folder, file), 'utf8')),
  );
  return [`${name} ${version} (${license})`, ...parts.map((part) => part.trim())].join('\n\n');
}
