import { useQuery } from '@tanstack/react-query';
import { Pause, Play } from 'lucide-react';
import { useState } from 'react';
import type { RequestSummary } from '../../../../../src/api/v1/server/request-schema.ts';
import { developerTexts } from '../../../texts/developer.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { CheckField } from '../../../ui/check-field.tsx';
import { inputClass } from '../../../ui/field.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Select } from '../../../ui/select.tsx';
import { filterRequests, type RequestFilter } from './request-list.ts';
import { requestsQuery, useRequestEvents } from './requests-query.ts';
import { RequestDialog } from './request-dialog.tsx';
import { RequestTable } from './request-table.tsx';

const labels = developerTexts.requests;

/** The live log of requests. */
export function RequestsPart() {
  useRequestEvents();
  const query = useQuery(requestsQuery);
  const [filter, setFilter] = useState<RequestFilter>({
    state: 'all',
    text: '',
    hasOwnReads: false,
  });
  const [held, setHeld] = useState<readonly RequestSummary[]>();
  const [inspected, setInspected] = useState<string>();
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone={held === undefined ? 'ok' : 'warn'}>
          {held === undefined ? labels.live : labels.paused}
        </Badge>
        <input
          type="search"
          aria-label={labels.filterText}
          placeholder={labels.filterText}
          className={`${inputClass} !w-48 flex-1`}
          value={filter.text}
          onChange={(event) => setFilter({ ...filter, text: event.target.value })}
        />
        <Select
          label={labels.filterState}
          value={filter.state}
          options={{ all: labels.allStates, ...labels.states }}
          onChange={(state) => setFilter({ ...filter, state })}
        />
        <CheckField
          label={labels.ownReads}
          isChecked={filter.hasOwnReads}
          onChange={(hasOwnReads) => setFilter({ ...filter, hasOwnReads })}
        />
        <Button onClick={() => setHeld(held === undefined ? query.data?.requests : undefined)}>
          {held === undefined ? <Pause size={15} aria-hidden /> : <Play size={15} aria-hidden />}
          {held === undefined ? labels.pause : labels.resume}
        </Button>
      </div>
      <QueryView query={query}>
        {({ requests }) => (
          <RequestTable
            requests={filterRequests(held ?? requests, filter)}
            onInspect={setInspected}
          />
        )}
      </QueryView>
      <RequestDialog id={inspected} onClose={() => setInspected(undefined)} />
    </div>
  );
}
