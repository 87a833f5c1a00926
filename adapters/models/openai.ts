// `toolturn/openai`: models of OpenAI, and of servers that speak like it. Needs the package `openai` beside this one.

export { openaiChat, type OpenAIChatOptions } from './openai/chat.ts'
export { openai, type OpenAIOptions } from './openai/responses.ts'
