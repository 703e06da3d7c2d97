"""The server behind the page: games, players, analysis, records and training runs, over HTTP and one WebSocket."""
