/**
 * What the page shows until its script has run: the bar with the key field, and that it is loading. Its style is
 * in it, so that it needs no other file. The colours are those of GraphiQL. `graphiql/loading.ts` finds it by its ids.
 */
export function loadingView(logo: string): string {
  return `<div id="loading">
      <style>
        body { margin: 0 }
        #loading { --ground: #fff; --text: #3b4c68; --accent: #d60590;
          background: var(--ground); color: var(--text); font: 15px Roboto, sans-serif; min-height: 100vh }
        @media (prefers-color-scheme: dark) {
          #loading { --ground: #212a3b; --text: #b7c2d7; --accent: #ff5794 }
        }
        #loading header { align-items: center; display: flex; flex-wrap: wrap; gap: 8px 24px; min-height: 32px;
          padding: 8px 16px }
        #loading h1 { align-items: center; display: flex; font-size: 18px; font-weight: 500; gap: 8px; margin: 0 }
        #loading h1 span { font-weight: 400 }
        #loading label { align-items: center; display: flex; flex: 1; font-weight: 500; gap: 8px }
        #loading input { background: var(--ground); border: 1px solid #75829a; border-radius: 4px; box-sizing: border-box;
          color: inherit; font: 13px monospace; max-width: 100%; min-width: 8rem; padding: 6px 8px; width: 20rem }
        #loading [role] { height: 3px; overflow: hidden; position: relative }
        #loading [role]::after { animation: loading 1.6s infinite linear; background: var(--accent); content: "";
          inset: 0 auto 0 0; position: absolute; width: 30% }
        #loading p { margin: 16px }
        @keyframes loading { from { translate: -100% } to { translate: 334% } }
        @media (max-width: 900px) { #loading label { flex-basis: 100% } #loading input { flex: 1 } }
        @media (prefers-reduced-motion: reduce) {
          #loading [role]::after { animation: none; width: 100% }
        }
      </style>
      <header>
        <h1><img src="graphiql/${logo}" width="28" height="28" alt=""> Portico <span>GraphiQL</span></h1>
        <label>API key <input id="loading-key" type="password" placeholder="Sent as x-api-key"
          autocomplete="off" autocapitalize="off" spellcheck="false"></label>
      </header>
      <div role="progressbar" aria-label="Loading GraphiQL"></div>
      <noscript><p>GraphiQL needs JavaScript.</p></noscript>
    </div>`;
}
