// Prints the changelog's section on a version, for its release: node scripts/release-notes.mjs 0.1.0 Fails if the
// package or the chart has another version.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/**
 * The section of a version in a changelog, without its heading.
 *
 * @throws Error if the section is missing or empty.
 */
export function releaseNotes(changelog, version) {
  const sections = changelog.split(/^## /mu).slice(1);
  const section = sections.find((each) => each.startsWith(`[${version}]`));
  const notes = section?.slice(section.indexOf('\n')).trim() ?? '';
  if (notes === '')
    throw new Error(`CHANGELOG.md says nothing about ${version}: "## [${version}]".`);
  return notes;
}

/** @throws Error if a file has another version. */
export function assertVersions(versions, version) {
  for (const [file, found] of Object.entries(versions)) {
    if (found !== version) throw new Error(`${file} has the version ${found}, not ${version}.`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const version = process.argv[2] ?? '';
  const chart = parse(await readFile('deploy/helm/hearth/Chart.yaml', 'utf8'));
  const { version: ofPackage } = JSON.parse(await readFile('package.json', 'utf8'));
  assertVersions(
    {
      'package.json': ofPackage,
      'version of the chart': chart.version,
      'appVersion of the chart': chart.appVersion,
    },
    version,
  );
  console.log(releaseNotes(await readFile('CHANGELOG.md', 'utf8'), version));
}
