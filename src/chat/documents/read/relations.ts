import { posix } from 'node:path';
import { readXml } from './read-xml.ts';
import type { ZipParts } from './zip-parts.ts';

/** A link from one part of an Office file to another. */
interface Relation {
  /** The last part of the relation's type, such as `worksheet`. */
  readonly type: string;
  /** Name of the other part. */
  readonly part: string;
}

/** The relations of a part by id. External targets are omitted, so no file or address outside is ever opened. */
export async function readRelations(
  parts: ZipParts,
  part: string,
): Promise<ReadonlyMap<string, Relation>> {
  const folder = posix.dirname(part);
  const relations = new Map<string, Relation>();
  await readXml(parts.read(posix.join(folder, '_rels', `${posix.basename(part)}.rels`)), {
    open: (name, { Id, Type = '', Target = '', TargetMode }) => {
      if (name !== 'Relationship' || Id === undefined || TargetMode === 'External') return;
      const target = Target.startsWith('/') ? Target.slice(1) : posix.join(folder, Target);
      relations.set(Id, { type: Type.slice(Type.lastIndexOf('/') + 1), part: target });
    },
  });
  return relations;
}

/** Finds the part to which a part has a relation of this type. */
export async function findRelated(
  parts: ZipParts,
  part: string,
  type: string,
): Promise<string | undefined> {
  const relations = await readRelations(parts, part);
  return [...relations.values()].find((relation) => relation.type === type)?.part;
}
