import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { basePath } from '../../api/base-path.ts';
import { call } from '../../api/client.ts';
import { devicesTexts } from '../../texts/devices.ts';
import { Button } from '../../ui/button.tsx';
import { CodeText } from '../../ui/code-text.tsx';
import { formatTime } from '../../ui/dates.ts';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { TextWithCode } from '../../ui/text-with-code.tsx';
import { messageOf } from '../../ui/toasts.ts';
import { deviceName, devicesQuery } from './devices-query.ts';
import { QrCode } from './qr-code.tsx';

const labels = devicesTexts.phone;
const askMs = 3000;

interface Link {
  readonly url: string;
  /** Null if the link opens the page without signing in. */
  readonly expires_at: string | null;
}

/** Shows a code that opens this app on another device, and signs the device in as the same user. */
export function PhoneCode() {
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: async () => {
      const query = { scope: 'network' as const };
      const { url, ...link } = await call('post', '/api/v1/sessions/links', { query });
      return { ...link, url: isLoopback() ? url : onThisOrigin(url) };
    },
    meta: { showsError: true },
    // The code is not cached.
    gcTime: 0,
  });
  const isUnreachable = error instanceof ApiError && error.code === 'network_unreachable';
  return (
    <Section title={labels.title} description={labels.hint}>
      {error !== null && (
        <Notice tone="warn" {...(isUnreachable && { title: labels.unreachable })}>
          <TextWithCode text={messageOf(error)} />
        </Notice>
      )}
      {data === undefined ? (
        <Button className="self-start" disabled={isPending} onClick={() => mutate()}>
          {labels.show}
        </Button>
      ) : (
        <ShownLink key={data.url} link={data} onAgain={() => mutate()} />
      )}
    </Section>
  );
}

function ShownLink({
  link: { url, expires_at },
  onAgain,
}: {
  readonly link: Link;
  readonly onAgain: () => void;
}) {
  const queries = useQueryClient();
  const [known, setKnown] = useState(() => queries.getQueryData(devicesQuery.queryKey)?.sessions);
  const isExpired = useIsOver(expires_at);
  const { data } = useQuery({ ...devicesQuery, refetchInterval: isExpired ? false : askMs });
  // The list may arrive after the code.
  if (known === undefined && data !== undefined) setKnown(data.sessions);
  const added = known && data?.sessions.find(({ id }) => !known.some((each) => each.id === id));
  if (added !== undefined && expires_at !== null) {
    return <Notice>{labels.done({ device: deviceName(added) })}</Notice>;
  }
  if (isExpired) {
    return (
      <div className="flex flex-wrap items-center gap-3">
        <p className="text-sm text-muted">{labels.expired}</p>
        <Button onClick={onAgain}>{labels.again}</Button>
      </div>
    );
  }
  return (
    <div className="flex flex-col items-start gap-3 sm:flex-row">
      <QrCode text={url} label={labels.code} />
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        <CodeText text={url} />
        <p className="text-sm text-muted">
          {expires_at === null ? labels.open : labels.validUntil({ time: formatTime(expires_at) })}
        </p>
      </div>
    </div>
  );
}

/** True once a time has passed. */
function useIsOver(time: string | null): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    if (time === null) return undefined;
    const timer = setTimeout(() => setOver(true), Date.parse(time) - Date.now());
    return () => clearTimeout(timer);
  }, [time]);
  return isOver;
}

function isLoopback(): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(location.hostname);
}

/** Uses this browser's own address of the server, which other devices can reach, too. */
function onThisOrigin(url: string): string {
  return `${location.origin}${basePath}/open${new URL(url).hash}`;
}
