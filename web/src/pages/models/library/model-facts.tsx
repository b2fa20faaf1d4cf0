import { useQuery } from '@tanstack/react-query';
import { modelDetailsQuery } from '../../../api/queries.ts';
import { modelsTexts } from '../../../texts/models.ts';
import { Badge } from '../../../ui/badge.tsx';
import { formatBytes } from '../../../ui/bytes.ts';
import { CodeText } from '../../../ui/code-text.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { formatNumber } from '../../../ui/numbers.ts';

const labels = modelsTexts.dialog;

const shown = (number: number | null | undefined) =>
  typeof number === 'number' ? formatNumber(number) : undefined;

/** Facts from the files of a model. */
export function ModelFacts({ model }: { readonly model: string }) {
  const query = useQuery(modelDetailsQuery(model));
  return (
    <QueryView query={query}>
      {({ license, author, source_url, structure, files, variants, adapters, chat_template }) => (
        <div className="flex flex-col gap-4 border-t pt-4">
          <Facts
            facts={[
              [labels.license, license],
              [labels.author, author],
              [labels.source, source_url],
              [labels.layers, shown(structure.layers)],
              [labels.embeddingLength, shown(structure.embedding_length)],
              [labels.attentionHeads, shown(structure.attention_heads)],
              [labels.vocabulary, shown(structure.vocabulary_size)],
              [
                labels.files,
                files.map(({ name, size_bytes }) => (
                  <div key={name}>{`${name} (${formatBytes(size_bytes)})`}</div>
                )),
              ],
              [
                labels.variants,
                variants.length < 2
                  ? undefined
                  : variants.map(({ key, size_bytes, selected }) => (
                      <div key={key}>
                        {`${key} (${formatBytes(size_bytes)}) `}
                        {selected && <Badge>{labels.selected}</Badge>}
                      </div>
                    )),
              ],
              [
                labels.adapters,
                adapters.length === 0
                  ? undefined
                  : adapters.map(({ key, size_bytes }) => (
                      <div key={key}>{`${key} (${formatBytes(size_bytes)})`}</div>
                    )),
              ],
            ]}
          />
          {chat_template !== null && (
            <details>
              <summary className="cursor-pointer text-sm text-muted">{labels.template}</summary>
              <div className="mt-2">
                <CodeText text={chat_template} label={labels.template} />
              </div>
            </details>
          )}
        </div>
      )}
    </QueryView>
  );
}
