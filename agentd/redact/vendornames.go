package redact

// vendorNames are services that give their customers a key: what stands under such a name and "key" is one. Names that are
// common words are not among them.
var vendorNames = set(`shodan virustotal abuseipdb opencage tomtom tmdb ipinfo ipstack ipgeolocation ipdata newsapi gnews deepgram assemblyai elevenlabs stability
	clearbit fullcontact currencylayer lemlist calendly acuity pipedrive mailjet sparkpost sendinblue brevo mailerlite convertkit activecampaign hubspot zapier airtable notion
	asana trello clickup monday jira figma canva cloudinary imgix imagekit uploadcare filestack transloadit algolia meilisearch meili typesense elastic elasticsearch mapbox
	geocodio locationiq positionstack openweather openweathermap owm weatherbit weatherstack weatherapi climacell tomorrowio nasa giphy unsplash pexels pixabay spotify lastfm
	youtube twitch riot strava fitbit garmin finnhub alphavantage iexcloud tiingo quandl marketstack exchangerate openexchangerates coinmarketcap cmc coinapi coingecko cryptocompare
	etherscan infura moralis bscscan polygonscan binance kraken coinbase bitfinex bitstamp okx kucoin bybit plaid yodlee dwolla adyen mollie braintree razorpay paystack flutterwave
	paypal klarna shopify square twilio nexmo vonage plivo messagebird telnyx clicksend textlocal pushover pushbullet onesignal pusher ably pubnub agora livekit vimeo wistia
	cloudflare cf fastly akamai bunny bunnycdn keycdn linode vultr hetzner scaleway ovh digitalocean heroku netlify vercel railway sentry rollbar bugsnag airbrake honeybadger raygun
	newrelic logdna loggly papertrail logzio logtail betterstack sumologic splunk grafana honeycomb dynatrace mixpanel amplitude posthog fullstory hotjar intercom zendesk freshdesk
	helpscout salesforce zoho snov lusha anthropic cohere huggingface hf replicate groq mistral perplexity deepseek openrouter together fireworks deepl speechmatics roboflow
	clarifai scrapingbee scraperapi zyte brightdata serpapi apify browserless abstractapi abstract rapidapi censys securitytrails greynoise urlscan hibp alienvault otx mailgun
	mailchimp mandrill sendgrid postmark resend klaviyo customerio braze iterable supabase firebase fcm upstash planetscale neon pinecone weaviate qdrant milvus langsmith langfuse
	tavily exa firecrawl jina voyage azureopenai contentful sanity prismic storyblok strapi docusign hellosign pandadoc easypost shippo sendcloud aftership dhl ups fedex gls
	xero quickbooks lexoffice sevdesk datev stripe chargebee recurly paddle lemonsqueezy gumroad wakatime codecov coveralls sonarcloud snyk fernet bitly rebrandly tinyurl`)
