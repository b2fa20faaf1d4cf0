import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { texts } from '../texts/texts.ts';
import { IconButton } from './icon-button.tsx';
import { showError } from './toasts.ts';

/** Copies a text and confirms it with its icon. */
export function CopyButton({
  text,
  label = texts.app.copy,
  className,
}: {
  readonly text: string | (() => string);
  readonly label?: string;
  readonly className?: string;
}) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => {
    const value = typeof text === 'string' ? text : text();
    copyText(value).then(() => setCopied(true), showError);
  };
  return (
    <IconButton
      icon={isCopied ? Check : Copy}
      label={isCopied ? texts.app.copied : label}
      size={15}
      onClick={copy}
      {...(className === undefined ? {} : { className })}
    />
  );
}

/** On other hosts without TLS, pages have no clipboard interface; an older command works there. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const isDone = document.execCommand('copy');
  area.remove();
  if (!isDone) throw new Error('The browser does not allow to copy.');
}
