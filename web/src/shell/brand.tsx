/** The flame of the app's icon. */
export function Flame({ size = 22 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="10 8 44 48" aria-hidden className="shrink-0">
      <path
        className="fill-accent"
        d="M33.6 10.5c2.6 8.2-8.9 12.6-8.9 22.2 0 1.9.6 3.6 1.6 5-3.1-1.2-4.9-4.1-4.7-7.6C17.7 33.3 16 37 16 40.6 16 48.6 23.1 54 32 54s16-5.4 16-13.6c0-10.3-8.6-13.4-9.3-20.8-1.9 1.6-2.8 3.7-2.7 6-2.8-4.6-.6-10.7-2.4-15.1Z"
      />
      <path
        className="fill-bg"
        d="M32.8 32c.5 4.3-5.5 6.3-5.5 11.4 0 3.1 2.2 5.6 5 5.6 3 0 5.3-2.4 5.3-5.5 0-4.9-4.3-6.7-4.8-11.5Z"
      />
    </svg>
  );
}
