import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { access } from '../../api/access.ts';
import { call } from '../../api/client.ts';
import { developerTexts } from '../../texts/developer.ts';
import { buttonClass } from '../../ui/button.tsx';
import { CodeText } from '../../ui/code-text.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { messageOf } from '../../ui/toasts.ts';

const labels = developerTexts.open;

/** Exchanges the code of a link for a session of this tab. */
export function OpenPage() {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [failure, setFailure] = useState<string>();
  const isStarted = useRef(false);
  useEffect(() => {
    // The code works once.
    if (isStarted.current) return;
    isStarted.current = true;
    const code = new URLSearchParams(location.hash.slice(1)).get('code');
    // Neither the history nor a bookmark keeps it.
    history.replaceState(history.state, '', '/open');
    if (code === null || code === '') {
      setFailure(labels.noCode);
      return;
    }
    call('post', '/api/v1/sessions', { body: { code } }).then(
      ({ token }) => {
        access.signIn(token, { isRemembered: false });
        void queries.resetQueries();
        void navigate({ to: '/developer', replace: true });
      },
      (error: unknown) => setFailure(`${messageOf(error)} ${labels.failed}`),
    );
  }, [navigate, queries]);
  return (
    <Page title={labels.title}>
      {failure === undefined ? (
        <>
          <p className="text-sm text-muted">{labels.working}</p>
          <Skeleton lines={2} />
        </>
      ) : (
        <>
          <Notice tone="danger">{failure}</Notice>
          <CodeText text={developerTexts.needsAdmin.command} />
          <Link to="/chat" className={`${buttonClass()} self-start`}>
            {labels.toChat}
          </Link>
        </>
      )}
    </Page>
  );
}
