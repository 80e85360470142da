-- One session per connection (wrk runs one thread for each connection): `next` through all its pages, then `first`, or, with
-- a page's number in PAGE, that page again and again. The sessions' ids and the number of pages come in the environment.
local ids = {}
for id in string.gmatch(os.getenv("SESSIONS") or "", "%S+") do ids[#ids + 1] = id end
local pages = tonumber(os.getenv("PAGES") or "100")
local number = os.getenv("PAGE")
local threads = 0

function setup(thread)
   threads = threads + 1
   thread:set("session", ids[threads])
   thread:set("pages", pages)
   thread:set("number", number)
end

function init()
   page = 0
   first = wrk.format("POST", "/sessions/" .. session .. "/first")
   next_ = wrk.format("POST", "/sessions/" .. session .. "/next")
   numbered = number and wrk.format("GET", "/sessions/" .. session .. "/pages/" .. number)
end

function request()
   if numbered then return numbered end
   page = page + 1
   if page > pages then page = 1 end
   return page == 1 and first or next_
end
