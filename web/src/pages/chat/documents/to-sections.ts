import type { ResultOf, RouteOf } from '../../../api/routes.ts';
import { texts } from '../../../texts/texts.ts';
import type { Section } from './document.ts';

type ServerText = ResultOf<RouteOf<'post', '/api/v1/documents/text'>>;

/** The text of each page, sheet, slide or chapter, or the whole text. */
export function toSections({
  text,
  sections,
}: Pick<ServerText, 'text' | 'sections'>): readonly Section[] {
  if (sections.length === 0) return [{ text }];
  const lines = text.split('\n');
  return sections.map((section, index) => {
    const end = (sections[index + 1]?.first_line ?? lines.length + 1) - 1;
    const own = lines
      .slice(section.first_line - 1, end)
      .join('\n')
      .trimEnd();
    return { text: own, place: placeOf(section) };
  });
}

function placeOf({ kind, number, title = '' }: ServerText['sections'][number]): string {
  const { documents } = texts;
  if (kind === 'page') return documents.page({ page: number });
  if (kind === 'sheet') return documents.sheet({ name: title });
  return kind === 'slide' ? documents.slide({ number }) : documents.chapter({ number });
}
