import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { developerTexts } from '../../../texts/developer.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { formatDateTime } from '../../../ui/dates.ts';
import { Notice } from '../../../ui/notice.tsx';
import { Section } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { LinkDialog } from './link-dialog.tsx';
import { MachineRow } from './machine-row.tsx';
import { machinesQuery, withPort, type LinkedMachine } from './machines-query.ts';
import { OfferDialog } from './offer-dialog.tsx';

const labels = developerTexts.machines;

/** Machines whose models are used here, and machines that use the models of this one. */
export function MachinesPart() {
  const [dialog, setDialog] = useState<'link' | 'offer'>();
  const query = useQuery(machinesQuery);
  const close = () => setDialog(undefined);
  return (
    <>
      <Section
        title={labels.to}
        description={labels.toHint}
        actions={
          <Button variant="primary" onClick={() => setDialog('link')}>
            {labels.link}
          </Button>
        }
      >
        <QueryView query={query}>
          {({ to }) => (
            <Machines label={labels.to} empty={labels.noneTo}>
              {to.map((machine) => (
                <LinkedRow key={machine.name} machine={machine} />
              ))}
            </Machines>
          )}
        </QueryView>
      </Section>
      <Section
        title={labels.from}
        description={labels.fromHint}
        actions={
          // Disabled until the list is loaded: the dialog detects a new machine by comparing lists.
          <Button disabled={query.data === undefined} onClick={() => setDialog('offer')}>
            {labels.offer}
          </Button>
        }
      >
        <QueryView query={query}>
          {({ from }) => (
            <Machines label={labels.from} empty={labels.noneFrom}>
              {from.map(({ name, token_id, last_used_at }) => (
                <MachineRow key={token_id} name={name}>
                  {last_used_at === null
                    ? labels.neverUsed
                    : labels.used({ time: formatDateTime(last_used_at) })}
                </MachineRow>
              ))}
            </Machines>
          )}
        </QueryView>
      </Section>
      <LinkDialog isOpen={dialog === 'link'} onClose={close} />
      <OfferDialog isOpen={dialog === 'offer'} onClose={close} />
    </>
  );
}

function LinkedRow({ machine }: { readonly machine: LinkedMachine }) {
  const { name, host, port, model_count: models, problem } = machine;
  return (
    <MachineRow
      name={name}
      badge={
        models === null ? (
          <Badge tone="danger">{labels.unavailable}</Badge>
        ) : (
          <Badge tone="ok">{labels.models({ models })}</Badge>
        )
      }
      {...(problem !== null && { notice: <Notice tone="warn">{problem}</Notice> })}
    >
      <span className="font-mono">{withPort(host, port)}</span>
    </MachineRow>
  );
}

function Machines({
  label,
  empty,
  children,
}: {
  readonly label: string;
  readonly empty: string;
  readonly children: readonly ReactElement[];
}) {
  if (children.length === 0) return <p className="text-sm text-muted">{empty}</p>;
  return (
    <ul aria-label={label} className="divide-y rounded-2xl border bg-raised">
      {children}
    </ul>
  );
}
