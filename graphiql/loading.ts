import { useLayoutEffect } from 'react';
import { apiKey } from './request/api-key.ts';

/** Waits for the style sheet, without which the page would be shown unstyled. A page without it is usable. */
export async function loadStyle(): Promise<void> {
  const link = document.querySelector<HTMLLinkElement>('link[rel=stylesheet]');
  if (!link || link.sheet) return;
  await new Promise((resolve) => {
    link.addEventListener('load', resolve);
    link.addEventListener('error', resolve);
  });
}

/** Replaces what the page shows while it loads, and takes over the key that was typed there, and the focus. */
export function useEndOfLoading(): void {
  useLayoutEffect(() => {
    const view = document.getElementById('loading');
    const typed = document.querySelector<HTMLInputElement>('#loading-key');
    if (!view || !typed) return;
    const hasFocus = document.activeElement === typed;
    const key = typed.value.trim();
    view.remove();
    if (key !== '') apiKey.set(key);
    if (hasFocus) document.getElementById('api-key')?.focus();
  }, []);
}
